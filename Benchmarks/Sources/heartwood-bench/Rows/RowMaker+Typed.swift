extension RowMaker {
    /// Records of a Swift type with three indexes, saved and asked for.
    var typed: [Row] { typedSaves + typedQuestions + typedCosts }

    private func typed(
        _ id: String, _ workload: String, _ title: String, _ work: TypedWork, _ engines: [EngineID],
        isDurable: Bool = false, workers: Int = 1, keys: Int? = nil, runs: Int? = nil,
        plans: Set<PlanName> = unlessQuick
    ) -> Row {
        row(
            id, workload, group: "typed", title, .typed(work), engines,
            promise: isDurable ? .survivesPowerLoss : nil, workers: workers, keys: keys, valueBytes: City.jsonBytes,
            fixture: .cities, copies: isDurable, seconds: isDurable ? 0.2 : 0.5, runs: runs, plans: plans)
    }

    private var typedSaves: [Row] {
        let peers: [EngineID] = [.heartwood, .grdb]
        let files: [EngineID] = [.jsonFile, .jsonFileSynced]
        let sizes: [(name: String, keys: Int, title: String, engines: [EngineID])] = [
            ("10k", 10_000, "10 thousand", peers + files), ("100k", 100_000, "100 thousand", peers + files),
            ("1m", 1_000_000, "1 million", peers), ("10m", 10_000_000, "10 million", [.heartwood]),
        ]
        let one = TypedWork.save(TypedSaving())
        return sizes.map { name, keys, title, engines in
            typed(
                "typed-save-\(name)", "typed-save", "durable saves of one changed record of \(title), one task", one,
                engines, isDurable: true, keys: keys, runs: keys > 1_000_000 ? 1 : 2,
                plans: keys > 100_000 ? [.full] : keys > 10_000 ? Self.unlessQuick : Self.always)
        } + [
            typed(
                "typed-save-64", "typed-save", "durable saves of one changed record, 64 tasks", one, peers,
                isDurable: true, workers: 64),
            typed(
                "typed-save-batch", "typed-save", "durable saves in batches of 1,000 changed records (records)",
                .save(TypedSaving(batch: 1_000)), peers, isDurable: true),
        ]
    }

    private var typedQuestions: [Row] {
        let peers: [EngineID] = [.heartwood, .grdb]
        return [
            typed("typed-find", "typed-find", "records by random ids, one task", .ask(.find), peers + [.jsonFile]),
            typed(
                "typed-query", "typed-query", "the 20 largest of a country: an index with sort and limit (queries)",
                .ask(.query), peers),
            typed(
                "typed-count-range", "typed-count", "count of 5,000 records in a range of an index (counts)",
                .ask(.countFrom), peers),
            typed(
                "typed-count-equal", "typed-count", "count of the records of a country, by an index (counts)",
                .ask(.countIn), peers),
        ]
    }

    private var typedCosts: [Row] {
        let buffered = Promise.mayLoseLastMoments
        return [
            row(
                "observe-none", "observe", group: "typed", "saves of one record by one task",
                .heartwood(.observed(0)), [.heartwood], promise: .survivesProcessDeath, keys: 1_000),
            row(
                "observe-1000", "observe", group: "typed", "the same, 1,000 records observed by a task each",
                .heartwood(.observed(1_000)), [.heartwood], promise: .survivesProcessDeath, keys: 1_000),
            row(
                "typed-overhead-save", "typed-overhead", group: "typed",
                "ns that the typed layer adds to a put of the same bytes, no indexes, no coder",
                .heartwood(.layerCost(isSave: true)), [.heartwood], promise: buffered, keys: 10_000,
                measure: .figure, figure: .layerNanoseconds),
            row(
                "typed-overhead-find", "typed-overhead", group: "typed",
                "ns that the typed layer adds to a fetch of the same bytes, no coder",
                .heartwood(.layerCost(isSave: false)), [.heartwood], keys: 10_000, measure: .figure,
                figure: .layerNanoseconds),
            row(
                "typed-index-memory", "typed-index-memory", group: "typed",
                "bytes of memory per index entry, three indexes", .heartwood(.entryMemory), [.heartwood],
                promise: buffered, valueBytes: City.jsonBytes, measure: .figure, figure: .bytesPerIndexEntry, runs: 1),
        ]
    }
}
