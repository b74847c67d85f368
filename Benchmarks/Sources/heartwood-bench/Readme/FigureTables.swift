/// The tables of figures in documents.
struct FigureTables: Sendable {
    private let compared: ComparedResults

    init(_ compared: ComparedResults) { self.compared = compared }

    /// The table of that name as Markdown; nil if there is none.
    func markdown(_ name: String) -> String? {
        switch name {
        case "machine": machine
        case "summary": summary
        case "behind": behind
        default: compared.groups.first { $0.id == name }.map { group($0.comparisons) }
        }
    }

    private var machine: String {
        let (results, machine) = (compared.results, compared.results.machine)
        let versions = compared.engines.filter { $0.missing == nil && $0.isPeer }.map { "\($0.title) \($0.version)" }
        let disk = machine.disk.map { " on \($0)" } ?? ""
        let parts =
            [
                "\(machine.cores) cores (\(machine.processor)), \(Numbers.bytes(machine.memoryBytes))",
                "\(machine.fileSystem)\(disk)", machine.system, machine.swift, "Heartwood \(results.heartwood)",
            ] + versions
        let state = results.isInterrupted ? " The run was interrupted." : ""
        return MarkdownTable.escaped(parts.joined(separator: ", ")) + "; plan "
            + MarkdownTable.code(results.plan) + ", begun \(FigureText.moment(results.started)), seed \(results.seed)."
            + state
    }

    /// The table of README.md: a few rows of each kind, those in which a peer is ahead first.
    private var summary: String {
        let rows: Set = [
            "fillsync-1", "fillsync-64", "fillrandom", "fillbatch", "readrandom", "readseq", "recovery-default",
            "space-amplification",
        ]
        let shown = compared.comparisons.filter { rows.contains($0.row.id) }
        return table(
            shown.filter { Standing($0).isBehind } + shown.filter { !Standing($0).isBehind }, withStanding: true)
    }

    /// The rows in which a peer is ahead of Heartwood with its defaults, even if another way to use it leads.
    private var behind: String {
        var table = MarkdownTable(["row", "who is ahead"])
        var isEmpty = true
        for standing in compared.standings where standing.isBehind {
            isEmpty = false
            let row = standing.comparison.row
            table.add([
                "\(MarkdownTable.code(row.id)): \(MarkdownTable.escaped(row.title))",
                MarkdownTable.escaped(standing.words),
            ])
        }
        return isEmpty ? "No row." : table.text
    }

    private func group(_ comparisons: [Comparison]) -> String {
        let damaged = comparisons.filter { $0.row.measure == .damage }
        let others = comparisons.filter { $0.row.measure != .damage }
        return [others.isEmpty ? nil : table(others), damaged.isEmpty ? nil : damage(damaged)].compactMap(\.self)
            .joined(separator: "\n\n")
    }

    /// A line for each row, a column for each engine. The best figure is bold.
    ///
    /// - Parameter withStanding: Whether a last column says who is ahead.
    private func table(_ comparisons: [Comparison], withStanding: Bool = false) -> String {
        let rows = comparisons.filter { !$0.entries.isEmpty }
        guard !rows.isEmpty else { return "Nothing of it was measured." }
        let measured = Set(rows.flatMap { $0.entries.map(\.engine.id) })
        let engines = compared.engines.filter { measured.contains($0.id) }
        let hasPromises = rows.contains { $0.row.promise != nil }
        var table = MarkdownTable(
            ["row"] + (hasPromises ? ["a write survives"] : []) + engines.map { MarkdownTable.escaped($0.title) }
                + (withStanding ? ["who is ahead"] : []))
        for row in rows {
            let name = "\(MarkdownTable.code(row.row.id)): \(MarkdownTable.escaped(row.row.title))"
            let promise = row.row.promise.map(\.survived) ?? ""
            table.add(
                [name] + (hasPromises ? [promise] : []) + engines.map { cell(row, $0) }
                    + (withStanding ? [MarkdownTable.escaped(Standing(row).words)] : []))
        }
        return table.text
    }

    private func cell(_ comparison: Comparison, _ engine: EngineInfo) -> String {
        guard let entry = comparison.entries.first(where: { $0.engine.id == engine.id }) else { return "" }
        let text = FigureText.text(entry.figures.median, of: comparison.row, space: " ")
        let rivals = comparison.entries.filter { !$0.engine.isRaw }
        let isBest = !engine.isRaw && rivals.count > 1 && !rivals.contains { comparison.isBetter($0, than: entry) }
        return isBest ? "**\(text)**" : text
    }

    private func damage(_ comparisons: [Comparison]) -> String {
        var table = MarkdownTable(["row, engine"] + DamageResult.columns.map(\.title))
        for line in comparisons.flatMap(\.damages) {
            table.add(
                ["\(MarkdownTable.code(line.row)), \(MarkdownTable.escaped(line.engine))"]
                    + DamageResult.columns.map { _, isSilent, count in
                        let text = Numbers.grouped(count(line.result))
                        return isSilent && count(line.result) > 0 ? "**\(text)**" : text
                    })
        }
        return table.text
    }
}
