internal import Heartwood

extension RowMaker {
    /// Rows in which only Heartwood is measured.
    var heartwood: [Row] { harness + reads + memories + costs + feeds }

    private func own(
        _ id: String, as workload: String? = nil, _ title: String,
        _ work: @escaping @Sendable (Cell) async throws -> Measured, promise: Promise? = nil,
        workers: Int = 1, keys: Int? = nil, valueBytes: Int = Dataset.valueBytes, measure: RowInfo.Measure = .rate,
        figure: Figure? = nil, fixture: Fixture.State? = nil, seconds: Double = 1, runs: Int? = nil,
        engine: EngineID = .heartwood, plans: Set<PlanName> = unlessQuick
    ) -> Row {
        row(
            id, as: workload, title, .own(work), [engine], promise: promise, workers: workers, keys: keys,
            valueBytes: valueBytes, measure: figure == nil ? measure : .figure, figure: figure, fixture: fixture,
            seconds: seconds, runs: runs, plans: plans)
    }

    private var harness: [Row] {
        [
            own(
                "harness-put", "the loop of puts without a store, as a task on a thread of its own",
                { try await HarnessLoop.put($0, isPlain: false) }, runs: 1, engine: .raw),
            own(
                "harness-put-plain", "the loop of puts without a store, on a plain thread",
                { try await HarnessLoop.put($0, isPlain: true) }, runs: 1, engine: .raw),
            own("harness-get", "the loop of gets without a store", HarnessLoop.get, runs: 1, engine: .raw),
        ]
    }

    private var reads: [Row] {
        [
            own("scan-keys", "keys alone, in order", HeartwoodReads.scanKeys, fixture: .compacted),
            own("get-all", "get(all:) of 16 random keys (keys)", HeartwoodReads.getTogether, fixture: .compacted),
        ]
            + [("get-sync", "get", false), ("get-async", "fetch", true)].map { name, call, isAsync in
                own(
                    name, "\(call) of random keys, one task",
                    { try await HeartwoodReads.getInTask($0, isAsync: isAsync) }, fixture: .compacted,
                    seconds: 0.5, runs: 2)
            }
    }

    private var memories: [Row] {
        [8, 16, 32, 100].map { bytes in
            own(
                "index-memory-\(bytes)", "bytes of index a key, keys of \(bytes) bytes put one by one",
                { try await IndexMemory.measure($0, keyBytes: bytes) }, figure: .indexBytesPerKey, runs: 1)
        }
    }

    private var costs: [Row] {
        let buffered = Promise.mayLoseLastMoments
        return [
            own(
                "write-cost-small", "puts that overwrite, a tenth of the keys, automatic compaction",
                WriteCost.measure, promise: buffered, keys: max(1_000, parameters.keys / 10), fixture: .compacted,
                runs: 1),
            own(
                "write-cost-large", "puts that overwrite, three times the keys, automatic compaction",
                WriteCost.measure, promise: buffered, keys: parameters.keys * 3, fixture: .compacted, runs: 1,
                plans: [.full]),
            own(
                "put-rate", "puts that overwrite, as fast as possible, no compaction",
                { try await Puts.rate($0, .never) }, promise: buffered, fixture: .compacted, runs: 2),
            own(
                "put-rate-compacting", "the same, compactions back to back", { try await Puts.rate($0, .backToBack) },
                promise: buffered, fixture: .compacted),
            own(
                "put-latency", "200,000 puts a second, no compaction", { try await Puts.latency($0, .never) },
                promise: buffered, measure: .latency, fixture: .compacted, seconds: 2, runs: 2),
            own(
                "put-latency-compacting", "200,000 puts a second, compactions back to back",
                { try await Puts.latency($0, .backToBack) },
                promise: buffered, measure: .latency, fixture: .compacted, seconds: 2, runs: 2),
            own(
                "pace-beside-copying",
                "200,000 steps a second of half a µs, no store, while a thread writes files", PaceFloor.measure,
                measure: .latency, seconds: 2, runs: 1, engine: .raw),
        ]
    }

    private var feeds: [Row] {
        let levels: [(name: String, title: String, level: ChangeLevel?)] = [
            ("none", "no change feed", nil), ("durable", "beside a feed of durable changes", .durable),
            ("visible", "beside a feed of visible changes", .visible),
        ]
        return levels.map { name, title, level in
            own(
                "feed-\(name)", "puts, as fast as possible, \(title)", { try await Following.write($0, level) },
                promise: .mayLoseLastMoments, runs: 2)
        }
            + levels.prefix(2).map { name, title, level in
                own(
                    "feed-sync-\(name)", "durable puts, 64 tasks, \(title)", { try await Following.write($0, level) },
                    promise: .survivesPowerLoss, workers: 64, seconds: 0.2, runs: 2)
            } + [
                own(
                    "feed-log", "a feed reads a log from its first change to its last", Following.read,
                    keys: parameters.keys * 10, runs: 1, plans: [.full]),
                own(
                    "feed-latency",
                    "\(Numbers.grouped(Following.rate)) puts a second, from the start of a put until a feed has it",
                    Following.latency, promise: .mayLoseLastMoments, measure: .latency, runs: 2),
            ]
    }

    /// Queues of jobs.
    var jobs: [Row] {
        [
            ("jobs-one", "jobs enqueued, taken and acknowledged durably, eight workers, one at a time", 1),
            ("jobs-32", "the same, 32 at a time (jobs)", 32),
        ].map { id, title, batch in
            row(
                id, as: "jobs", title, .jobs(batch: batch), [.heartwood, .redis], promise: .survivesPowerLoss,
                workers: 8, keys: 1)
        }
    }

    /// Records of a Swift type with three indexes, saved and asked for.
    var typed: [Row] { typedSaves + typedQuestions + typedCosts }

    private func typed(
        _ id: String, as workload: String, _ title: String, _ work: TypedWork, _ engines: [EngineID],
        isDurable: Bool = false, workers: Int = 1, keys: Int? = nil, runs: Int? = nil,
        plans: Set<PlanName> = unlessQuick
    ) -> Row {
        row(
            id, as: workload, title, .typed(work), engines, promise: isDurable ? .survivesPowerLoss : nil,
            workers: workers, keys: keys, valueBytes: City.jsonBytes, fixture: .cities,
            seconds: isDurable ? 0.2 : 0.5, runs: runs, plans: plans)
    }

    private var typedSaves: [Row] {
        let peers: [EngineID] = [.heartwood, .grdb]
        let files: [EngineID] = [.jsonFile, .jsonFileSynced]
        let sizes: [(name: String, keys: Int, title: String, engines: [EngineID])] = [
            ("10k", 10_000, "10 thousand", peers + files), ("100k", 100_000, "100 thousand", peers + files),
            ("1m", 1_000_000, "1 million", peers), ("10m", 10_000_000, "10 million", [.heartwood]),
        ]
        return sizes.map { name, keys, title, engines in
            typed(
                "typed-save-\(name)", as: "typed-save",
                "durable saves of one changed record of \(title), one task", .save(batch: 1), engines,
                isDurable: true, keys: keys, runs: keys > 1_000_000 ? 1 : 2,
                plans: keys > 100_000 ? [.full] : keys > 10_000 ? Self.unlessQuick : Self.always)
        } + [
            typed(
                "typed-save-64", as: "typed-save", "durable saves of one changed record, 64 tasks", .save(batch: 1),
                peers, isDurable: true, workers: 64),
            typed(
                "typed-save-batch", as: "typed-save",
                "durable saves in batches of 1,000 changed records (records)", .save(batch: 1_000), peers,
                isDurable: true),
        ]
    }

    private var typedQuestions: [Row] {
        [
            ("find", "find", "records by random ids, one task", .find),
            ("query", "query", "the 20 largest of a country: an index with sort and limit (queries)", .query),
            ("count-range", "count", "count of 5,000 records in a range of an index (counts)", .countFrom),
            ("count-equal", "count", "count of the records of a country, by an index (counts)", Question.countIn),
        ].map { name, workload, title, question in
            typed(
                "typed-\(name)", as: "typed-\(workload)", title, .ask(question),
                [.heartwood, .grdb] + (question == .find ? [.jsonFile] : []))
        }
    }

    private var typedCosts: [Row] {
        let buffered = Promise.mayLoseLastMoments
        return [
            own(
                "observe-none", as: "observe", "saves of one record by one task",
                { try await Observing.measure($0, observers: 0) }, promise: .survivesProcessDeath, keys: 1_000),
            own(
                "observe-1000", as: "observe", "the same, 1,000 records observed by a task each",
                { try await Observing.measure($0, observers: 1_000) }, promise: .survivesProcessDeath, keys: 1_000),
            own(
                "typed-overhead-save", as: "typed-overhead",
                "ns that the typed layer adds to a put of the same bytes, no indexes, no coder",
                { try await LayerCost.measure($0, isSave: true) }, promise: buffered, keys: 10_000,
                figure: .layerNanoseconds),
            own(
                "typed-overhead-find", as: "typed-overhead",
                "ns that the typed layer adds to a fetch of the same bytes, no coder",
                { try await LayerCost.measure($0, isSave: false) }, keys: 10_000, figure: .layerNanoseconds),
            own(
                "typed-index-memory", "bytes of memory per index entry, three indexes", IndexMemory.measureEntries,
                promise: buffered, valueBytes: City.jsonBytes, figure: .bytesPerIndexEntry, runs: 1),
        ]
    }
}
