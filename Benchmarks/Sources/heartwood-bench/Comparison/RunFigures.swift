/// Median, lowest and highest figure of one engine's runs in one row.
struct RunFigures: Sendable, Equatable {
    var median: Double
    var lowest: Double
    var highest: Double
    var count: Int

    /// Nil if there are no finite values.
    init?(_ values: [Double]) {
        let sorted = values.filter(\.isFinite).sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        lowest = first
        highest = last
        count = sorted.count
    }

    /// Whether the ranges from the lowest to the highest run overlap.
    func overlaps(_ other: RunFigures) -> Bool { lowest <= other.highest && other.lowest <= highest }
}

extension RowInfo {
    /// The run's figure in this row; nil if it has none.
    func value(_ run: CellResult.Run) -> Double? {
        switch measure {
        case .rate: run.seconds > 0 ? run.rate : nil
        case .seconds: run.seconds
        case .figure: figure.flatMap { run.figures[$0] }
        case .latency: run.latency.map { Double($0.p99) }
        case .damage: run.damage.map { $0.silent }
        }
    }

    var isMoreBetter: Bool { measure == .rate }
}

extension DamageResult {
    /// Changes that lost or altered records without an error, in a thousand.
    var silent: Double { changes > 0 ? Double(lost + wrong) * 1_000 / Double(changes) : 0 }

    /// The columns of tables.
    static let columns: [(title: String, isSilent: Bool, count: @Sendable (DamageResult) -> Int)] = [
        ("harmless", false, { $0.harmless }), ("refused", false, { $0.refused }), ("crashed", false, { $0.crashed }),
        ("hung", false, { $0.hung }), ("lost", true, { $0.lost }), ("wrong", true, { $0.wrong }),
        ("changes", false, { $0.changes }),
    ]
}

extension Comparison {
    /// The effects of changed bytes for each engine; none in other rows.
    var damages: [(row: String, engine: String, result: DamageResult)] {
        entries.compactMap { entry in entry.runs.first?.damage.map { (row.id, entry.engine.title, $0) } }
    }
}
