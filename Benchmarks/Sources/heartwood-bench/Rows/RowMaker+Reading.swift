extension RowMaker {
    private var readers: [EngineID] { [.heartwood, .heartwoodMapped] + Self.peers + [.raw] }
    /// Those that have an order.
    private var scanners: [EngineID] { [.heartwood, .heartwoodMapped] + Self.peers }

    /// Reads of a full store, compacted, that is in the system's file cache.
    var reading: [Row] {
        [
            row(
                "readrandom", "readrandom", group: "reading", "get of random keys, one thread", .get(Getting()),
                readers,
                fixture: .compacted, plans: Self.always),
            row(
                "readrandom-2", "readrandom", group: "reading", "get of random keys, two threads", .get(Getting()),
                readers, workers: 2, fixture: .compacted, runs: 2),
            row(
                "readmissing", "readmissing", group: "reading", "get of keys that aren't there",
                .get(Getting(isPresent: false)), scanners, fixture: .compacted, runs: 2),
            row(
                "readseq", "readseq", group: "reading", "all pairs in order", .scan(Scanning()), readers,
                fixture: .compacted, plans: Self.always),
            row(
                "readreverse", "readreverse", group: "reading", "all pairs, from the last to the first",
                .scan(Scanning(isBackwards: true)), readers, fixture: .compacted, runs: 2),
            row(
                "seekrandom", "seekrandom", group: "reading", "seek to a random key and read 10 pairs",
                .seek(Seeking()),
                scanners, fixture: .compacted, runs: 2),
            row(
                "readwhilewriting", "readwhilewriting", group: "reading",
                "get of random keys beside one writer that overwrites (gets)", .readWhileWriting(ReadingWhileWriting()),
                scanners, promise: .survivesProcessDeath, workers: 2, fixture: .compacted, copies: true),
        ]
    }

    /// The core workloads of YCSB. Their values are ten times as long as the others', so there are fewer keys.
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
