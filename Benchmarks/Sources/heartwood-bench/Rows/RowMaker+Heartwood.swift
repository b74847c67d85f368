extension RowMaker {
    /// Rows in which only Heartwood is measured.
    var heartwood: [Row] { harness + reads + memories + costs }

    private func own(
        _ id: String, _ title: String, _ work: HeartwoodWork, promise: Promise? = nil, keys: Int? = nil,
        measure: RowInfo.Measure = .rate, figure: Figure? = nil, fixture: Fixture.State? = nil, seconds: Double = 1,
        runs: Int? = nil, engine: EngineID = .heartwood, plans: Set<PlanName> = unlessQuick
    ) -> Row {
        row(
            id, id, group: "heartwood", title, .heartwood(work), [engine], promise: promise, keys: keys,
            measure: measure, figure: figure, fixture: fixture, copies: promise != nil && fixture != nil,
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
}
