/// One thing that is done: a run of a cell.
struct Step: Sendable, Equatable {
    var row: String
    var engine: EngineID
    /// Counted from 0.
    var run: Int
}

/// The order of the runs: row by row, and within a row every engine once, then every engine again, so that a machine
/// that drifts drifts for all; the engines in another order in each round, so that none always follows the same one.
enum Schedule {
    /// - Parameters:
    ///   - rows: In their order.
    ///   - engines: Those that are chosen and there.
    static func steps(_ rows: [Row], engines: [EngineID]) -> [Step] {
        // Other figures of the same work come with it.
        rows.filter { $0.source == nil }.flatMap { row in
            let order = row.engines.filter(engines.contains)
            return (0..<row.runs).flatMap { run in
                order.indices.map { position in
                    Step(row: row.id, engine: order[(position + run) % order.count], run: run)
                }
            }
        }
    }

    /// Those that have no result yet.
    static func remaining(_ steps: [Step], after cells: [CellResult]) -> [Step] {
        let done = Dictionary(cells.map { ("\($0.row) \($0.engine)", $0) }, uniquingKeysWith: { first, _ in first })
        return steps.filter { step in
            guard let cell = done["\(step.row) \(step.engine.rawValue)"] else { return true }
            return cell.failure == nil && cell.runs.count <= step.run
        }
    }
}
