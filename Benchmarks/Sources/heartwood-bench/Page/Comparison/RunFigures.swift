/// Median, lowest and highest of what the runs of one engine came to in one row.
struct RunFigures: Sendable, Equatable {
    var median: Double
    var lowest: Double
    var highest: Double
    var count: Int

    /// Nil where there are none.
    init?(_ values: [Double]) {
        let sorted = values.filter(\.isFinite).sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        lowest = first
        highest = last
        count = sorted.count
    }

    /// Whether some run of one was better than some run of the other, whichever has the better median.
    func overlaps(_ other: RunFigures) -> Bool { lowest <= other.highest && other.lowest <= highest }
}

extension RowInfo {
    /// What a run came to in this row; nil where it has no such figure.
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

    /// What the figure is, in words.
    var measureTitle: String {
        switch measure {
        case .rate: "operations a second"
        case .seconds: "seconds"
        case .figure: figure.map(Figure.title) ?? "figure"
        case .latency: "99th percentile of latency"
        case .damage: "changes after which data was lost or wrong, and nothing was said, in a thousand"
        }
    }
}

extension Figure {
    /// What a figure of that name is, for people; the name itself where it isn't known.
    static func title(_ name: String) -> String { Figure(rawValue: name)?.title ?? name }
}

extension DamageResult {
    /// After how many changes in a thousand records were lost or wrong and nothing was said.
    var silent: Double { changes > 0 ? Double(lost + wrong) * 1_000 / Double(changes) : 0 }

    /// Of all runs together; nil where none has one.
    static func sum(_ runs: [CellResult.Run]) -> DamageResult? {
        runs.compactMap(\.damage).reduce(nil) { sum, damage in sum.map { $0 + damage } ?? damage }
    }

    /// Of two runs together.
    static func + (left: DamageResult, right: DamageResult) -> DamageResult {
        DamageResult(
            changes: left.changes + right.changes, refused: left.refused + right.refused,
            harmless: left.harmless + right.harmless, lost: left.lost + right.lost, wrong: left.wrong + right.wrong,
            crashed: left.crashed + right.crashed, hung: left.hung + right.hung,
            lostButTold: left.lostButTold.map { $0 + (right.lostButTold ?? 0) } ?? right.lostButTold)
    }
}
