extension RowMaker {
    private var writers: [EngineID] { [.heartwood, .heartwoodThreads] + Self.peers + [.raw] }
    private var bufferedWriters: [EngineID] { [.heartwood, .heartwoodThreads, .rocksdb, .raw] }
    /// Without a second way to use Heartwood, because there are many sizes.
    private var writersOfSizes: [EngineID] { [.heartwood] + Self.peers + [.raw] }
    private var readers: [EngineID] { scanners + [.raw] }
    /// Engines that keep keys in order.
    private var scanners: [EngineID] { [.heartwood, .heartwoodMapped] + Self.peers }

    /// Durable writes by the number of writers.
    var durable: [Row] {
        [1, 8, 64, 256, 1_024, 4_096].map { workers in
            // In engines with one writer at a time, more writers only wait in a queue: they are measured up to 64.
            let engines = writers.filter { workers <= 64 || !($0.hasOneWriter || $0 == .raw) }
            return row(
                "fillsync-\(workers)", as: "fillsync",
                "durable puts, \(workers == 1 ? "one writer" : "\(Numbers.grouped(workers)) writers")",
                .write(Writing(kind: .endless)), engines, promise: .survivesPowerLoss, workers: workers,
                plans: [8, 256, 4_096].contains(workers) ? Self.unlessQuick : Self.always)
        }
    }

    /// Writes that don't wait for the disk.
    var writing: [Row] {
        let survives = Promise.survivesProcessDeath
        let fill = Work.write(Writing(kind: .fill))
        let batches = Work.write(Writing(kind: .fill, batch: 1_000))
        let overwrite = Work.write(Writing(kind: .overwrite))
        var rows = [
            row("fillseq", "every key once, in order", fill, writers, promise: survives, order: .ascending, runs: 2),
            row(
                "fillrandom", "every key once, in random order", fill, writers, promise: survives, plans: Self.always),
            row(
                "fillbatch", "every key once, in batches of 1,000 (records)", batches, writers, promise: survives,
                plans: Self.always),
            row(
                "overwrite", "random keys of a full store", overwrite, writers, promise: survives,
                fixture: .compacted, plans: Self.always),
            row(
                "deleterandom", "removal of every key, in random order", .write(Writing(kind: .remove)), writers,
                promise: survives, fixture: .compacted, runs: 2),
        ]
        for (name, work) in [("fillrandom", fill), ("fillbatch", batches), ("overwrite", overwrite)] {
            let fixture: Fixture.State? = name == "overwrite" ? .compacted : nil
            for (workers, promise) in [(8, survives), (1, .mayLoseLastMoments), (8, .mayLoseLastMoments)] {
                let isBuffered = promise == .mayLoseLastMoments
                rows.append(
                    row(
                        name + (workers == 1 ? "" : "-8") + (isBuffered ? "-buffered" : ""), as: name,
                        name + (workers == 1 ? "" : ", eight writers"), work, isBuffered ? bufferedWriters : writers,
                        promise: promise, workers: workers, fixture: fixture, runs: 2,
                        plans: workers == 1 && name == "fillrandom" ? Self.always : Self.unlessQuick))
            }
        }
        return rows
    }

    /// Reads of a full store that is in the system's file cache.
    ///
    /// The store is compacted, except in the rows `-uncompacted`: there it is as a random fill left it, and each run
    /// gets a new copy, because an engine may compact in the background while it is read.
    var reading: [Row] {
        let get = Work.get(Getting())
        return [
            row(
                "readrandom", "get of random keys, one thread", get, readers, fixture: .compacted, plans: Self.always),
            row(
                "readrandom-2", as: "readrandom", "get of random keys, two threads", get, readers, workers: 2,
                fixture: .compacted, runs: 2),
            row(
                "readrandom-uncompacted", as: "readrandom",
                "get of random keys right after a random fill, no compaction requested", get, scanners,
                fixture: .filled, copies: true, runs: 2),
            row(
                "readmissing", "get of keys that aren't there", .get(Getting(isPresent: false)), scanners,
                fixture: .compacted, runs: 2),
            row(
                "readseq", "all pairs in order", .scan(isBackwards: false), readers, fixture: .compacted,
                plans: Self.always),
            row(
                "readseq-uncompacted", as: "readseq",
                "all pairs in order right after a random fill, no compaction requested", .scan(isBackwards: false),
                scanners, fixture: .filled, copies: true, runs: 2),
            row(
                "readreverse", "all pairs, from the last to the first", .scan(isBackwards: true), readers,
                fixture: .compacted, runs: 2),
            row(
                "seekrandom", "seek to a random key and read 10 pairs", .seek, scanners, fixture: .compacted, runs: 2),
            row(
                "readwhilewriting", "get of random keys while one writer overwrites (gets)", .readWhileWriting,
                scanners, promise: .survivesProcessDeath, workers: 2, fixture: .compacted),
        ]
    }

    /// The core workloads of YCSB. Their values are ten times as long as in other rows, so there are fewer keys.
    var ycsb: [Row] {
        YCSBMix.allCases.map { mix in
            row(
                "ycsb-\(mix.rawValue)", mix.title, .ycsb(mix),
                [.heartwood] + (mix == .c ? [.heartwoodMapped] : []) + Self.peers, promise: .survivesProcessDeath,
                workers: 8, keys: max(1_000, parameters.keys / 4), valueBytes: 1_000, fixture: .compacted,
                copies: mix != .c, runs: 2, plans: mix == .a ? Self.always : Self.unlessQuick)
        }
    }

    private var runsOfSizes: Int { parameters.plan == .full ? 2 : 1 }

    /// Puts and gets by the size of values. Larger values have fewer keys.
    var values: [Row] {
        let most = parameters.plan == .full ? 128 << 20 : 64 << 20
        let sizes = [
            ("v16", 16, "16 B"), ("v100", 100, "100 B"), ("v1k", 1_024, "1 KiB"), ("v16k", 16_384, "16 KiB"),
            ("v1m", 1 << 20, "1 MiB"),
        ]
        return sizes.flatMap { name, bytes, title in
            let keys = max(16, min(parameters.keys / 4, most / (bytes + Dataset.keyBytes)))
            return [
                row(
                    "fillrandom-\(name)", as: "fillrandom", "puts of values of \(title)",
                    .write(Writing(kind: .fill)), writersOfSizes, promise: .survivesProcessDeath, keys: keys,
                    valueBytes: bytes, runs: runsOfSizes),
                row(
                    "readrandom-\(name)", as: "readrandom", "gets of values of \(title)", .get(Getting()), readers,
                    keys: keys, valueBytes: bytes, fixture: .compacted, runs: runsOfSizes),
            ]
        }
    }

    /// Documents, without compression and with it.
    var json: [Row] {
        [false, true].map { compresses in
            row(
                "json-\(compresses ? "compressed" : "plain")", as: "fillrandom",
                "puts of JSON documents, compression \(compresses ? "on" : "off")",
                .write(Writing(kind: .fill, measuresDisk: true)),
                compresses ? [.heartwood, .rocksdb, .leveldb] : [.heartwood] + Self.peers,
                promise: .survivesProcessDeath, keys: max(1_000, parameters.keys / 4), valueBytes: 700,
                figure: .diskBytesPerPayloadByte, use: EngineUse(compresses: compresses), hasDocuments: true,
                runs: runsOfSizes)
        }
    }

    /// The same work in small and in large stores.
    var growth: [Row] {
        let sizes = [
            ("100k", 100_000, "100 thousand"), ("1m", 1_000_000, "1 million"), ("10m", 10_000_000, "10 million"),
        ]
        return sizes.flatMap { name, keys, title in
            let isLarge = keys > 1_000_000
            // The largest stores take 15 minutes with these.
            let excluded: Set<EngineID> = isLarge ? [.sqlite, .grdb, .raw] : []
            let plans: Set<PlanName> = isLarge ? [.full] : Self.unlessQuick
            let runs = isLarge ? 1 : runsOfSizes
            return [
                row(
                    "growth-fill-\(name)", as: "fillrandom", "puts into an empty store, \(title) keys",
                    .write(Writing(kind: .fill, patience: 1_000)), writersOfSizes.filter { !excluded.contains($0) },
                    promise: .survivesProcessDeath, keys: keys, seconds: 0.5, runs: runs, plans: plans),
                row(
                    "growth-read-\(name)", as: "readrandom", "gets of random keys, \(title) keys", .get(Getting()),
                    readers.filter { !excluded.contains($0) }, keys: keys, fixture: .compacted, runs: runs,
                    plans: plans),
            ]
        }
    }

    /// Opening after a kill.
    var recovery: [Row] {
        // As many records as fit in the usual write buffers of RocksDB and LevelDB, 64 MiB, so that all of them are in
        // the log without a setting that no application uses. LMDB has no log; SQLite checkpoints its log at 4 MB.
        let logged = min(parameters.keys, 200_000)
        return [
            row(
                "recovery-log", as: "recovery",
                "opening after a kill, all of \(Numbers.grouped(logged)) records in the log", .recover(rounds: 1),
                [.heartwood, .rocksdb, .leveldb], keys: logged, measure: .seconds, fixture: .filledKilled,
                copies: true, plans: Self.always),
            row(
                "recovery-default", as: "recovery", "opening after a kill, default settings, every key put twice",
                .recover(rounds: 2), [.heartwood] + Self.peers, measure: .seconds, fixture: .overwrittenKilled,
                copies: true, runs: 2),
            row(
                "open-compacted", as: "open", "opening after a close, everything compacted", .recover(rounds: 1),
                [.heartwood] + Self.peers, measure: .seconds, fixture: .compacted, copies: true, runs: 2),
        ]
    }

    /// Latency of writes that are offered at a fixed rate, over time.
    ///
    /// Values and times are large enough that Heartwood's log exceeds 256 MiB, at which compaction starts by default.
    var compaction: [Row] {
        let rate = 40_000
        return [
            row(
                "compaction-latency", as: "overwrite",
                "\(Numbers.grouped(rate)) puts of 1,000 bytes a second to random keys of a full store, four writers",
                .pace(rate: rate), [.heartwood, .heartwoodThreads] + Self.peers, promise: .survivesProcessDeath,
                workers: 4, keys: max(1_000, parameters.keys / 4), valueBytes: 1_000, measure: .latency,
                fixture: .compacted, seconds: parameters.plan == .full ? 4 : 8, runs: 2)
        ]
    }

    /// Memory of the process.
    var memory: [Row] {
        [
            row(
                "memory", "memory of the process after as many random gets as keys", .remember, scanners,
                measure: .figure, figure: .memoryBytesPerKey, fixture: .compacted, runs: 1, plans: Self.always)
        ]
    }

    /// What overwriting costs the disk: two figures of the same work.
    var amplification: [Row] {
        let work = Work.amplify(Amplifying(patience: [.quick: 3, .default: 8, .full: 20][parameters.plan] ?? 10))
        let figures: [(name: String, figure: Figure, title: String)] = [
            ("write-amplification", .writeAmplification, "bytes written per byte put"),
            ("space-amplification", .spaceAmplification, "disk bytes per live byte"),
        ]
        return figures.map { name, figure, title in
            var row = row(
                name, as: "overwrite",
                "every key of a full store overwritten ten times, in random order: \(title)", work,
                [.heartwood] + Self.peers, promise: .survivesProcessDeath,
                keys: parameters.plan == .quick ? parameters.keys / 2 : nil, measure: .figure, figure: figure,
                fixture: .compacted, runs: 1, plans: Self.always)
            row.source = figure == .writeAmplification ? nil : "write-amplification"
            return row
        }
    }

    /// What an engine does with a changed byte.
    var damage: [Row] {
        let states: [(String, Fixture.State)] = [("closed", .smallClosed), ("killed", .smallKilled)]
        return states.flatMap { name, state in
            [false, true].map { isParanoid in
                row(
                    "damage-\(name)\(isParanoid ? "-checked" : "")", as: "damage",
                    "one changed byte in the files of a store that was \(name)"
                        + (isParanoid ? ", with all checks on" : ""),
                    .damage(changes: parameters.plan == .full ? 1_000 : 250),
                    isParanoid ? [.heartwood, .rocksdb, .leveldb] : scanners, promise: .survivesPowerLoss,
                    keys: DamageStore.keys, measure: .damage, use: EngineUse(isParanoid: isParanoid), fixture: state,
                    copies: false, runs: 1)
            }
        }
    }
}
