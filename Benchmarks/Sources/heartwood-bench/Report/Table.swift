/// The results as text for a terminal: for each group the rows with the median of each engine, and how many times its
/// median Heartwood's is.
struct Table {
    let results: Results
    private let cells: [String: CellResult]

    init(_ results: Results) {
        self.results = results
        cells = Dictionary(
            results.cells.map { ("\($0.row) \($0.engine)", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// All of it, a block for each group.
    var text: String {
        var groups: [String] = []
        for row in results.rows where !groups.contains(row.group) { groups.append(row.group) }
        return (groups.compactMap(block) + [failures, missing].compactMap { $0 }).joined(separator: "\n")
    }

    /// Cells that failed, with the reason.
    private var failures: String? {
        let lines = results.cells.compactMap { cell in cell.failure.map { "\(cell.row), \(cell.engine): \($0)" } }
        return lines.isEmpty ? nil : (["FAILED"] + lines).joined(separator: "\n") + "\n"
    }

    /// Engines that aren't there, with how to get them.
    private var missing: String? {
        let lines = results.engines.compactMap { engine in engine.missing.map { "\(engine.title): \($0)" } }
        return lines.isEmpty ? nil : (["NOT MEASURED"] + lines).joined(separator: "\n") + "\n"
    }

    private func block(_ group: String) -> String? {
        var table = TextTable(
            header: ["row", "promise", "engine", "figure", "lowest", "highest", "Heartwood is"], leftColumns: 3)
        for row in results.rows where row.group == group { add(row, to: &table) }
        guard !table.isEmpty else { return nil }
        return ([group.uppercased()] + table.lines).joined(separator: "\n") + "\n"
    }

    private func add(_ row: RowInfo, to table: inout TextTable) {
        let own = spread(row, "heartwood")
        var isFirst = true
        for engine in results.engines {
            guard let cell = cells["\(row.id) \(engine.id)"] else { continue }
            let name = isFirst ? row.id : ""
            let promise = isFirst ? row.promise?.title ?? "" : ""
            isFirst = false
            if let damage = cell.runs.last?.damage {
                table.add([name, promise, engine.title, Self.text(damage), "", "", ""])
                continue
            }
            guard let spread = spread(row, engine.id) else {
                table.add([name, promise, engine.title, cell.failure.map { _ in "failed" } ?? "", "", "", ""])
                continue
            }
            table.add([
                name, promise, engine.title, Self.text(spread.median, row), Self.text(spread.minimum, row),
                Self.text(spread.maximum, row),
                engine.family == "heartwood" ? "" : own.map { ratio($0.median, spread.median, row) } ?? "",
            ])
        }
    }

    /// The figure that the row compares, of all runs.
    private func spread(_ row: RowInfo, _ engine: String) -> Spread? {
        guard let cell = cells["\(row.id) \(engine)"] else { return nil }
        return Spread(cell.runs.compactMap { Self.value($0, row) })
    }

    /// The figure that a row compares.
    static func value(_ run: CellResult.Run, _ row: RowInfo) -> Double? {
        switch row.measure {
        case .rate: run.rate
        case .seconds: run.seconds
        case .figure: row.figure.flatMap { run.figures[$0] }
        case .latency: run.latency.map { Double($0.p99) }
        case .damage: run.damage.map { Double($0.lost + $0.wrong + $0.crashed + $0.hung) }
        }
    }

    private static func text(_ value: Double, _ row: RowInfo) -> String {
        switch row.measure {
        case .rate: Numbers.rate(value) + "/s"
        case .seconds: Numbers.decimal(value, digits: 3) + " s"
        case .figure: Numbers.ratio(value)
        case .latency: Numbers.latency(UInt64(value))
        case .damage: Numbers.rate(value)
        }
    }

    private static func text(_ damage: DamageResult) -> String {
        let parts = [
            (damage.refused, "refused"), (damage.harmless, "harmless"), (damage.lost, "lost"), (damage.wrong, "wrong"),
            (damage.crashed, "crashed"), (damage.hung, "hung"),
        ]
        return parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }

    /// How many times better Heartwood is.
    private func ratio(_ own: Double, _ other: Double, _ row: RowInfo) -> String {
        if row.measure == .damage || own == 0 || other == 0 { return "" }
        return Numbers.ratio(row.measure == .rate ? own / other : other / own) + " x"
    }
}
