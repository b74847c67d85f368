internal import Foundation

/// Results as text for a terminal: a table for each group. A table has Heartwood's
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
            let title = PlainText.cut(PlainText.printable(GroupText.titles[group.id] ?? group.id), to: Self.width)
            lines += ["", style(title.uppercased(), .bold)]
            let others = measured.filter { $0.row.measure != .damage }
            if !others.isEmpty { lines += table(others) }
            if others.count < measured.count { lines += damageTable(measured) }
        }
        return (lines + missing).joined(separator: "\n") + "\n"
    }

    private var header: [String] {
        let (results, machine) = (compared.results, compared.results.machine)
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
        if let load = machine.load { facts.append(("load", Numbers.short(min(max(load, 0), 1e6)))) }
        var lines = facts.flatMap { Self.wrapped($1, first: $0, indent: 11) }
        if results.isInterrupted {
            lines.append(style("Interrupted: these are the figures that were measured before.", .yellow))
        }
        if results.rows.contains(where: { $0.promise == .mayLoseLastMoments }) {
            lines.append("Writes that survive neither power loss nor process death are in the kernel within 10 ms.")
        }
        return lines + ["Medians, with the lowest and the highest run. × is an engine's median divided by Heartwood's."]
    }

    // MARK: - A group

    private func table(_ comparisons: [Comparison]) -> [String] {
        let measured = Set(comparisons.flatMap { $0.entries.map(\.engine.id) })
        let first = comparisons.compactMap { $0.heartwood?.engine.id }.first ?? EngineInfo.heartwood
        var fixed = [TextColumn("", comparisons.map { Self.cell($0.row.id, 24) }, .left)]
        if comparisons.contains(where: { $0.row.promise != nil }) {
            fixed.append(
                TextColumn("survives", comparisons.map { Self.cell($0.row.promise?.survived ?? "") }, .left))
        }
        if comparisons.contains(where: { $0.heartwood != nil }) {
            fixed.append(TextColumn(PlainText.cut(compared.title(of: first), to: 30), comparisons.map(full)))
        }
        let others = compared.engines.filter { measured.contains($0.id) && $0.id != first }
        let columns = others.map { engine in
            TextColumn(
                PlainText.cut(engine.title, to: 20),
                comparisons.map { cell($0, $0.entries.first { $0.engine.id == engine.id }) })
        }
        return TextColumn.lines(fixed, columns, style)
    }

    /// Heartwood's median with its spread.
    private func full(_ comparison: Comparison) -> TextTable.Cell {
        guard let figures = comparison.heartwood?.figures else { return Self.cell("-") }
        let texts = [figures.median, figures.lowest, figures.highest].map { text($0, comparison.row) }
        return Self.cell(figures.count > 1 ? "\(texts[0]) (\(texts[1])–\(texts[2]))" : texts[0])
    }

    private func cell(_ comparison: Comparison, _ entry: Comparison.Entry?) -> TextTable.Cell {
        guard let entry else { return Self.cell("") }
        let ratio = comparison.ratio(entry).map { " " + FigureText.ratio($0) } ?? ""
        let isAhead = comparison.heartwood.map { entry.engine.isPeer && comparison.isBetter(entry, than: $0) } ?? false
        return Self.cell(text(entry.figures.median, comparison.row) + ratio, isWarning: isAhead)
    }

    private func text(_ value: Double, _ row: RowInfo) -> String {
        let text = FigureText.text(value, of: row, space: "")
        return text.hasSuffix("/s") ? String(text.dropLast(2)) : text
    }

    private func damageTable(_ comparisons: [Comparison]) -> [String] {
        let lines = comparisons.flatMap(\.damages)
        let fixed = [
            TextColumn("", lines.map { Self.cell($0.row, 24) }, .left),
            TextColumn("engine", lines.map { Self.cell($0.engine, 24) }, .left),
        ]
        let columns = DamageResult.columns.map { title, isSilent, count in
            TextColumn(
                title,
                lines.map { Self.cell(Numbers.grouped(count($0.result)), isWarning: isSilent && count($0.result) > 0) })
        }
        return TextColumn.lines(fixed, columns, style)
    }

    // MARK: - What follows

    /// Engines and cells without figures, with the reasons.
    private var missing: [String] {
        let engines = compared.engines.compactMap { engine in engine.missing.map { "\(engine.title): \($0)" } }
        let failures = compared.results.cells.compactMap { cell in
            cell.failure.map { "\(cell.row), \(compared.title(of: cell.engine)): \($0)" }
        }
        return [("NOT MEASURED", engines), ("FAILED", failures)].flatMap { title, texts -> [String] in
            texts.isEmpty ? [] : ["", style(title, .bold)] + texts.flatMap { Self.wrapped($0, indent: 2) }
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text.padding(toLength: width, withPad: " ", startingAt: 0)
    }

    /// Breaks a text into lines of at most `width` characters, all but the first of which begin with a margin.
    static func wrapped(_ text: String, first: String? = nil, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var (lines, line) = ([String](), first.map { padded($0, indent) } ?? "")
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

    /// A cell of printable text.
    private static func cell(_ text: String, _ length: Int = .max, isWarning: Bool = false) -> TextTable.Cell {
        TextTable.Cell(PlainText.cut(PlainText.printable(text), to: length), isWarning ? .yellow : nil)
    }
}

/// A column with its title.
struct TextColumn: Sendable {
    private let title: String
    private let alignment: TextTable.Alignment
    private let cells: [TextTable.Cell]

    init(_ title: String, _ cells: [TextTable.Cell], _ alignment: TextTable.Alignment = .right) {
        self.title = PlainText.printable(title)
        self.alignment = alignment
        self.cells = cells
    }

    private var width: Int { max(title.count, cells.map(\.text.count).max() ?? 0) }

    /// The title, padded, so that the column has the same width wherever it is repeated.
    private var head: TextTable.Cell {
        let space = String(repeating: " ", count: width - title.count)
        return TextTable.Cell(alignment == .left ? title + space : space + title)
    }

    /// Columns side by side. Columns that don't fit follow below, with the fixed columns repeated.
    static func lines(_ fixed: [TextColumn], _ columns: [TextColumn], _ style: Style) -> [String] {
        var blocks: [[TextColumn]] = [[]]
        for column in columns {
            let block = fixed + blocks[blocks.count - 1] + [column]
            let isTooWide = block.reduce(-2) { $0 + $1.width + 2 } > ResultsTable.width
            if isTooWide, blocks.last?.isEmpty == false { blocks.append([]) }
            blocks[blocks.count - 1].append(column)
        }
        return blocks.enumerated().flatMap { index, block in
            let all = fixed + block
            var table = TextTable(all.map(\.alignment), indent: 0)
            table.add(all.map(\.head))
            // Below the first block, rows without any cell are left out.
            for row in 0..<(fixed.first?.cells.count ?? 0)
            where index == 0 || block.contains(where: { !$0.cells[row].text.isEmpty }) {
                table.add(all.map { $0.cells[row] })
            }
            return (index > 0 ? [""] : []) + table.lines(style)
        }
    }
}
