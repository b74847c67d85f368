/// One run of a cell.
struct Step: Sendable, Equatable {
    var row: String
    var engine: EngineID
    /// Counted from 0.
    var run: Int
}

/// The order of the runs: row by row, and within a row every engine once, then every engine again, so that a change of
/// the machine's speed affects all engines. Each round starts with another engine.
enum Schedule {
    /// All runs of these rows and engines.
    static func steps(_ rows: [Row], engines: [EngineID]) -> [Step] {
        // Rows with a source are other figures of the same runs.
        rows.filter { $0.source == nil }.flatMap { row in
            let order = row.engines.filter(engines.contains)
            return (0..<row.runs).flatMap { run in
                order.indices.map { position in
                    Step(row: row.id, engine: order[(position + run) % order.count], run: run)
                }
            }
        }
    }

    /// The steps that have no result yet.
    static func remaining(_ steps: [Step], after cells: [CellResult]) -> [Step] {
        let done = Dictionary(cells.map { ("\($0.row) \($0.engine)", $0) }, uniquingKeysWith: { first, _ in first })
        return steps.filter { step in
            guard let cell = done["\(step.row) \(step.engine.rawValue)"] else { return true }
            return cell.failure == nil && cell.runs.count <= step.run
        }
    }
}
