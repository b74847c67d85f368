/// Makes rows with the usual values.
struct RowMaker: Sendable {
    let parameters: Parameters

    static let peers: [EngineID] = [.rocksdb, .leveldb, .lmdb, .sqlite, .grdb]
    static let always: Set<PlanName> = [.quick, .default, .full]
    static let unlessQuick: Set<PlanName> = [.default, .full]

    /// - Parameters:
    ///   - keys: Number of keys; nil for that of the plan.
    ///   - seconds: Time of a run, as a multiple of that of the plan.
    func row(
        _ id: String, _ workload: String, group: String, _ title: String, _ work: Work, _ engines: [EngineID],
        promise: Promise? = nil, workers: Int = 1, keys: Int? = nil, valueBytes: Int = Dataset.valueBytes,
        measure: RowInfo.Measure = .rate, figure: Figure? = nil, use: EngineUse? = nil,
        fixture: Fixture.State? = nil, copies: Bool = false, contents: Dataset.Contents = .random,
        order: KeySource.Order = .random, seconds: Double = 1, runs: Int? = nil,
        plans: Set<PlanName> = unlessQuick
    ) -> Row {
        let keys = keys ?? parameters.keys
        var use = use ?? EngineUse()
        if let promise { use.promise = promise } else { use.onlyReads = true }
        let time = promise == .survivesPowerLoss ? parameters.durableSeconds : parameters.seconds
        return Row(
            info: RowInfo(
                id: id, workload: workload, group: group, title: title, promise: promise, workers: workers, keys: keys,
                valueBytes: valueBytes, measure: measure, figure: figure?.rawValue),
            work: work, engines: engines, use: use,
            fixture: fixture.map {
                Fixture(
                    state: $0, keys: keys, valueBytes: valueBytes, contents: contents, compresses: use.compresses)
            }, copiesFixture: copies, contents: contents, order: order, seconds: time * seconds,
            runs: runs.map { min($0, parameters.runs) } ?? parameters.runs, plans: plans)
    }
}
