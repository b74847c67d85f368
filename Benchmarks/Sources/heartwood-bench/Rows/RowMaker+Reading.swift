extension RowMaker {
    var readers: [EngineID] { scanners + [.raw] }
    /// Engines that keep keys in order.
    private var scanners: [EngineID] { [.heartwood, .heartwoodMapped] + Self.peers }

    /// Reads of a full store that is in the system's file cache.
    ///
    /// The store is compacted, except in the rows `-uncompacted`: there it is as a random fill left it, and each run
    /// gets a new copy, because an engine may compact in the background while it is read.
    var reading: [Row] {
        [
            row(
                "readrandom", "readrandom", group: "reading", "get of random keys, one thread", .get(Getting()),
                readers, fixture: .compacted, plans: Self.always),
            row(
                "readrandom-2", "readrandom", group: "reading", "get of random keys, two threads", .get(Getting()),
                readers, workers: 2, fixture: .compacted, runs: 2),
            row(
                "readrandom-uncompacted", "readrandom", group: "reading",
                "get of random keys right after a random fill, no compaction requested", .get(Getting()), scanners,
                fixture: .filled, copies: true, runs: 2),
            row(
                "readmissing", "readmissing", group: "reading", "get of keys that aren't there",
                .get(Getting(isPresent: false)), scanners, fixture: .compacted, runs: 2),
            row(
                "readseq", "readseq", group: "reading", "all pairs in order", .scan(Scanning()), readers,
                fixture: .compacted, plans: Self.always),
            row(
                "readseq-uncompacted", "readseq", group: "reading",
                "all pairs in order right after a random fill, no compaction requested", .scan(Scanning()), scanners,
                fixture: .filled, copies: true, runs: 2),
            row(
                "readreverse", "readreverse", group: "reading", "all pairs, from the last to the first",
                .scan(Scanning(isBackwards: true)), readers, fixture: .compacted, runs: 2),
            row(
                "seekrandom", "seekrandom", group: "reading", "seek to a random key and read 10 pairs",
                .seek(Seeking()), scanners,
                fixture: .compacted, runs: 2),
            row(
                "readwhilewriting", "readwhilewriting", group: "reading",
                "get of random keys while one writer overwrites (gets)", .readWhileWriting(ReadingWhileWriting()),
                scanners, promise: .survivesProcessDeath, workers: 2, fixture: .compacted, copies: true),
        ]
    }

    /// The core workloads of YCSB. Their values are ten times as long as in other rows, so there are fewer keys.
    var ycsb: [Row] {
        YCSBMix.allCases.map { mix in
            row(
                "ycsb-\(mix.rawValue)", "ycsb-\(mix.rawValue)", group: "ycsb", mix.title, .ycsb(YCSBWork(mix: mix)),
                [.heartwood] + (mix == .c ? [.heartwoodMapped] : []) + Self.peers, promise: .survivesProcessDeath,
                workers: 8, keys: max(1_000, parameters.keys / 4), valueBytes: 1_000, fixture: .compacted,
                copies: mix != .c, runs: 2, plans: mix == .a ? Self.always : Self.unlessQuick)
        }
    }
}
