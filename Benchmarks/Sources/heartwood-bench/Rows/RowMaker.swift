/// Makes rows with the usual values.
struct RowMaker: Sendable {
    let parameters: Parameters

    static let peers: [EngineID] = [.rocksdb, .leveldb, .lmdb, .sqlite, .grdb]
    static let always: Set<PlanName> = [.quick, .default, .full]
    static let unlessQuick: Set<PlanName> = [.default, .full]

    /// - Parameters:
    ///   - workload: The usual name of the workload; the row's by default.
    ///   - keys: Number of keys; nil for that of the plan.
    ///   - copies: Whether each run gets a copy of the fixture; by default if it writes.
    ///   - seconds: Time of a run, as a multiple of that of the plan.
    func row(
        _ id: String, as workload: String? = nil, _ title: String, _ work: Work, _ engines: [EngineID],
        promise: Promise? = nil, workers: Int = 1, keys: Int? = nil, valueBytes: Int = Dataset.valueBytes,
        measure: RowInfo.Measure = .rate, figure: Figure? = nil, use: EngineUse = EngineUse(),
        fixture: Fixture.State? = nil, copies: Bool? = nil, hasDocuments: Bool = false,
        order: KeySource.Order = .random, seconds: Double = 1, runs: Int? = nil,
        plans: Set<PlanName> = unlessQuick
    ) -> Row {
        let keys = keys ?? parameters.keys
        var use = use
        if let promise { use.promise = promise } else { use.onlyReads = true }
        let time = promise == .survivesPowerLoss ? parameters.durableSeconds : parameters.seconds
        return Row(
            info: RowInfo(
                id: id, workload: workload ?? id, group: "", title: title, promise: promise, workers: workers,
                keys: keys, valueBytes: valueBytes, measure: measure, figure: figure?.rawValue),
            work: work, engines: engines, use: use,
            fixture: fixture.map { Fixture(state: $0, keys: keys, valueBytes: valueBytes) },
            copiesFixture: copies ?? (fixture != nil && promise != nil), hasDocuments: hasDocuments, order: order,
            seconds: time * seconds, runs: runs.map { min($0, parameters.runs) } ?? parameters.runs, plans: plans)
    }

    /// All rows, in the order of the table.
    var all: [Row] {
        let groups = [
            ("durable", durable), ("writing", writing), ("reading", reading), ("ycsb", ycsb), ("values", values),
            ("json", json), ("recovery", recovery), ("compaction", compaction), ("growth", growth), ("memory", memory),
            ("amplification", amplification), ("damage", damage), ("typed", typed), ("jobs", jobs),
            ("heartwood", heartwood),
        ]
        return groups.flatMap { group, rows in
            rows.map { row in
                var row = row
                row.info.group = group
                return row
            }
        }
    }
}

/// All rows for the given parameters.
struct Catalogue: Sendable {
    let parameters: Parameters
    let rows: [Row]

    init(_ parameters: Parameters) {
        self.parameters = parameters
        rows = RowMaker(parameters: parameters).all
    }

    /// The row with this name.
    ///
    /// - Throws: `UnknownName`.
    func row(_ id: String) throws -> Row {
        guard let row = rows.first(where: { $0.id == id }) else { throw UnknownName(id, "row", rows.map(\.id)) }
        return row
    }

    /// The sections of the table, in its order.
    var groups: [String] {
        rows.reduce(into: []) { groups, row in
            if !groups.contains(row.info.group) { groups.append(row.info.group) }
        }
    }

    /// The rows with these names and groups; the rows of the plan if `names` is nil.
    ///
    /// - Throws: `UnknownName`.
    func select(_ names: [String]?) throws -> [Row] {
        guard let names else { return rows.filter { $0.plans.contains(parameters.plan) } }
        for name in names where !groups.contains(name) && !rows.contains(where: { $0.id == name }) {
            throw UnknownName(name, "row or group", groups + rows.map(\.id))
        }
        let chosen = rows.filter { names.contains($0.id) || names.contains($0.info.group) }
        let sources = Set(chosen.compactMap(\.source))
        return rows.filter { row in sources.contains(row.id) || chosen.contains { $0.id == row.id } }
    }
}

/// An unknown name on the command line.
struct UnknownName: Error, CustomStringConvertible {
    let description: String

    init(_ name: String, _ kind: String, _ choices: [String]) {
        description = "there is no \(kind) '\(name)': choose from \(choices.joined(separator: ", "))"
    }
}
