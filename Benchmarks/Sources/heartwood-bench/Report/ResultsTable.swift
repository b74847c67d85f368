internal import Foundation

/// Results as text for a terminal: a table for each group, and whether Heartwood's claims hold. A table has Heartwood's
/// median and spread, and each other engine's median with its ratio to Heartwood's.
struct ResultsTable: Sendable {
    /// Characters of a line.
    static let width = 120

    let compared: ComparedResults
    let style: Style

    init(_ results: Results, style: Style = .plain) {
        compared = ComparedResults(results)
        self.style = style
    }

    /// The whole text, with a newline at the end.
    var text: String {
        var lines = header
        for group in compared.groups {
            let measured = group.comparisons.filter { !$0.entries.isEmpty }
            guard !measured.isEmpty else { continue }
            let title = PlainText.cut(PlainText.printable(GroupText(group.id).title), to: Self.width)
            lines += ["", style.strong(title.uppercased())]
            let damaged = measured.filter { $0.row.measure == .damage }
            let others = measured.filter { $0.row.measure != .damage }
            if !others.isEmpty { lines += table(others) }
            if !damaged.isEmpty { lines += damageTable(damaged) }
        }
        return (lines + missing + claims).joined(separator: "\n") + "\n"
    }

    private var header: [String] {
        let results = compared.results
        let machine = results.machine
        var facts = [
            ("plan", "\(results.plan), begun \(FigureText.moment(results.started))"),
            ("heartwood", results.heartwood),
            (
                "processor",
                "\(machine.processor), \(machine.cores) cores, \(Numbers.bytes(machine.memoryBytes)) of memory"
            ),
            (
                "system",
                "\(machine.system), \(machine.fileSystem)\(machine.disk.map { " on \($0)" } ?? ""), \(machine.swift)"
            ),
            ("command", results.command), ("seed", String(results.seed)),
        ]
        if let load = machine.load { facts.append(("load", Numbers.ratio(min(max(load, 0), 1e6)))) }
        let lines = facts.flatMap { name, value in
            Self.wrapped(value, first: name.padding(toLength: 11, withPad: " ", startingAt: 0), indent: 11)
        }
        let state =
            results.isInterrupted
            ? [style.warning("Interrupted: these are the figures that were measured before.")] : []
        let isShort = results.rows.contains { $0.promise == .mayLoseLastMoments }
        let terms =
            isShort
            ? Self.wrapped(
                "Writes that survive neither power loss nor process death are in the kernel within 10 ms.", indent: 0)
            : []
        return lines + state + terms
            + Self.wrapped(
                "Medians, with the lowest and the highest run. × is an engine's median divided by Heartwood's.",
                indent: 0)
    }

    // MARK: - A group

    private func table(_ comparisons: [Comparison]) -> [String] {
        let measured = Set(comparisons.flatMap { $0.entries.map(\.engine.id) })
        let first = comparisons.compactMap { $0.heartwood?.engine.id }.first ?? EngineInfo.heartwood
        let others = compared.engines.filter { measured.contains($0.id) && $0.id != first }
        var fixed: [TextColumn] = [
            TextColumn("", isLeft: true, comparisons.map { TextCell(PlainText.cut($0.row.id, to: 24)) })
        ]
        if comparisons.contains(where: { $0.row.promise != nil }) {
            fixed.append(
                TextColumn("survives", isLeft: true, comparisons.map { TextCell($0.row.promise?.survived ?? "") }))
        }
        if comparisons.contains(where: { $0.heartwood != nil }) {
            fixed.append(
                TextColumn(
                    PlainText.cut(compared.title(of: first), to: 30),
                    comparisons.map { comparison in
                        TextCell(comparison.heartwood.map { full($0, comparison.row) } ?? "-")
                    }))
        }
        let columns = others.map { engine in
            TextColumn(
                PlainText.cut(engine.title, to: 20),
                comparisons.map { cell($0, $0.entries.first { $0.engine.id == engine.id }) })
        }
        return TextBlocks(fixed: fixed, columns: columns, width: Self.width).lines(style)
    }

    /// Heartwood's median with its spread.
    private func full(_ entry: Comparison.Entry, _ row: RowInfo) -> String {
        let median = text(entry.figures.median, row)
        guard entry.figures.count > 1 else { return median }
        return "\(median) (\(text(entry.figures.lowest, row))–\(text(entry.figures.highest, row)))"
    }

    private func cell(_ comparison: Comparison, _ entry: Comparison.Entry?) -> TextCell {
        guard let entry else { return TextCell("") }
        let ratio = comparison.ratio(entry).map { " " + FigureText.ratio($0) } ?? ""
        let isAhead = comparison.heartwood.map { entry.engine.isPeer && comparison.isBetter(entry, than: $0) } ?? false
        return TextCell(text(entry.figures.median, comparison.row) + ratio, isWarning: isAhead)
    }

    private func text(_ value: Double, _ row: RowInfo) -> String {
        let text = FigureText.text(value, of: row, space: "")
        return text.hasSuffix("/s") ? String(text.dropLast(2)) : text
    }

    private func damageTable(_ comparisons: [Comparison]) -> [String] {
        let lines = comparisons.flatMap { comparison in
            comparison.entries.compactMap { entry in
                DamageResult.sum(entry.runs).map { (comparison.row.id, entry.engine.title, $0) }
            }
        }
        func numbers(_ title: String, isAlarming: Bool = false, _ count: (DamageResult) -> Int) -> TextColumn {
            TextColumn(
                title, lines.map { TextCell(Numbers.grouped(count($0.2)), isWarning: isAlarming && count($0.2) > 0) })
        }
        let fixed = [
            TextColumn("", isLeft: true, lines.map { TextCell(PlainText.cut($0.0, to: 24)) }),
            TextColumn("engine", isLeft: true, lines.map { TextCell(PlainText.cut($0.1, to: 24)) }),
        ]
        let columns = [
            numbers("changes") { $0.changes }, numbers("harmless") { $0.harmless }, numbers("refused") { $0.refused },
            numbers("crashed") { $0.crashed }, numbers("hung") { $0.hung },
            numbers("lost", isAlarming: true) { $0.lost }, numbers("wrong", isAlarming: true) { $0.wrong },
        ]
        return TextBlocks(fixed: fixed, columns: columns, width: Self.width).lines(style)
    }

    /// Breaks a text into lines of at most `width` characters.
    static func wrapped(_ text: String, first: String = "", indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var (lines, line) = ([String](), first)
        for word in PlainText.printable(text).split(separator: " ") {
            var rest = word
            while !rest.isEmpty {
                let isFresh = line.count <= indent
                let space = width - line.count - (isFresh ? 0 : 1)
                if rest.count <= space {
                    line += (isFresh ? "" : " ") + rest
                    rest = ""
                } else if isFresh {
                    line += rest.prefix(space)
                    rest = rest.dropFirst(space)
                } else {
                    lines.append(line)
                    line = margin
                }
            }
        }
        return lines + [line]
    }
}

extension Promise {
    /// What a write survives, in a few words.
    var survived: String {
        switch self {
        case .survivesPowerLoss: "power loss"
        case .survivesProcessDeath: "process death"
        case .mayLoseLastMoments: "neither"
        }
    }
}
