internal import Heartwood

extension RowMaker {
    /// Rows in which only Heartwood is measured.
    var heartwood: [Row] { harness + reads + memories + costs + feeds }

    private func own(
        _ id: String, _ title: String, _ work: HeartwoodWork, promise: Promise? = nil, workers: Int = 1,
        keys: Int? = nil, measure: RowInfo.Measure = .rate, figure: Figure? = nil, fixture: Fixture.State? = nil,
        seconds: Double = 1, runs: Int? = nil, engine: EngineID = .heartwood, plans: Set<PlanName> = unlessQuick
    ) -> Row {
        row(
            id, id, group: "heartwood", title, .heartwood(work), [engine], promise: promise, workers: workers,
            keys: keys, measure: measure, figure: figure, fixture: fixture, copies: promise != nil && fixture != nil,
            seconds: seconds, runs: runs, plans: plans)
    }

    private var harness: [Row] {
        [
            own(
                "harness-put", "the loop of puts without a store, as a task on a thread of its own",
                .putLoop(isPlain: false), runs: 1, engine: .raw),
            own(
                "harness-put-plain", "the loop of puts without a store, on a plain thread", .putLoop(isPlain: true),
                runs: 1, engine: .raw),
            own("harness-get", "the loop of gets without a store", .getLoop, runs: 1, engine: .raw),
        ]
    }

    private var reads: [Row] {
        [
            own("scan-keys", "keys alone, in order", .keyScans, fixture: .compacted),
            own("get-all", "get(all:) of 16 random keys (keys)", .getsTogether, fixture: .compacted),
        ]
            + [("get-sync", "get", false), ("get-async", "fetch", true)].map { name, call, isAsync in
                own(
                    name, "\(call) of random keys, one task", .taskGets(isAsync: isAsync), fixture: .compacted,
                    seconds: 0.5, runs: 2)
            }
    }

    private var memories: [Row] {
        [8, 16, 32, 100].map { bytes in
            own(
                "index-memory-\(bytes)", "bytes of index a key, keys of \(bytes) bytes put one by one",
                .indexMemory(keyBytes: bytes), measure: .figure, figure: .indexBytesPerKey, runs: 1)
        }
    }

    private var costs: [Row] {
        let buffered = Promise.mayLoseLastMoments
        return [
            own(
                "write-cost-small", "puts that overwrite, a tenth of the keys, automatic compaction", .writeCost,
                promise: buffered, keys: max(1_000, parameters.keys / 10), fixture: .compacted, runs: 1),
            own(
                "write-cost-large", "puts that overwrite, three times the keys, automatic compaction", .writeCost,
                promise: buffered, keys: parameters.keys * 3, fixture: .compacted, runs: 1, plans: [.full]),
            own(
                "put-rate", "puts that overwrite, as fast as possible, no compaction", .putRate(.never),
                promise: buffered, fixture: .compacted, runs: 2),
            own(
                "put-rate-compacting", "the same, compactions back to back", .putRate(.backToBack), promise: buffered,
                fixture: .compacted),
            own(
                "put-latency", "200,000 puts a second, no compaction", .putLatency(.never), promise: buffered,
                measure: .latency, fixture: .compacted, seconds: 2, runs: 2),
            own(
                "put-latency-compacting", "200,000 puts a second, compactions back to back", .putLatency(.backToBack),
                promise: buffered, measure: .latency, fixture: .compacted, seconds: 2, runs: 2),
            own(
                "pace-beside-copying",
                "200,000 steps a second of half a µs, no store, while a thread writes files",
                .paceFloor, measure: .latency, seconds: 2, runs: 1, engine: .raw),
        ]
    }

    private var feeds: [Row] {
        let levels: [(name: String, title: String, level: ChangeLevel?)] = [
            ("none", "no change feed", nil), ("durable", "beside a feed of durable changes", .durable),
            ("visible", "beside a feed of visible changes", .visible),
        ]
        return levels.map { name, title, level in
            own(
                "feed-\(name)", "puts, as fast as possible, \(title)", .feed(level), promise: .mayLoseLastMoments,
                runs: 2)
        }
            + levels.prefix(2).map { name, title, level in
                own(
                    "feed-sync-\(name)", "durable puts, 64 tasks, \(title)", .feed(level),
                    promise: .survivesPowerLoss, workers: 64, seconds: 0.2, runs: 2)
            } + [
                own(
                    "feed-log", "a feed reads a log from its first change to its last", .feedLog,
                    keys: parameters.keys * 10, runs: 1, plans: [.full]),
                own(
                    "feed-latency",
                    "\(Numbers.grouped(Following.rate)) puts a second, from the start of a put until a feed has it",
                    .feedLatency, promise: .mayLoseLastMoments, measure: .latency, runs: 2),
            ]
    }
}
