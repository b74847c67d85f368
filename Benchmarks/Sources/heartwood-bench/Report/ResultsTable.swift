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
            let title = PlainText.cut(PlainText.printable(GroupText.titles[group.id] ?? group.id), to: Self.width)
            lines += ["", style.strong(title.uppercased())]
            let others = measured.filter { $0.row.measure != .damage }
            if !others.isEmpty { lines += table(others) }
            if others.count < measured.count { lines += damageTable(measured) }
        }
        return (lines + missing + claims).joined(separator: "\n") + "\n"
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
        if let load = machine.load { facts.append(("load", Numbers.ratio(min(max(load, 0), 1e6)))) }
        var lines = facts.flatMap { Self.wrapped($1, first: $0, indent: 11) }
        if results.isInterrupted {
            lines.append(style.warning("Interrupted: these are the figures that were measured before."))
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
        var fixed = [TextColumn("", isLeft: true, comparisons.map { TextCell($0.row.id, 24) })]
        if comparisons.contains(where: { $0.row.promise != nil }) {
            fixed.append(
                TextColumn("survives", isLeft: true, comparisons.map { TextCell($0.row.promise?.survived ?? "") }))
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
    private func full(_ comparison: Comparison) -> TextCell {
        guard let figures = comparison.heartwood?.figures else { return TextCell("-") }
        let texts = [figures.median, figures.lowest, figures.highest].map { text($0, comparison.row) }
        return TextCell(figures.count > 1 ? "\(texts[0]) (\(texts[1])–\(texts[2]))" : texts[0])
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
        let lines = comparisons.flatMap(\.damages)
        let fixed = [
            TextColumn("", isLeft: true, lines.map { TextCell($0.row, 24) }),
            TextColumn("engine", isLeft: true, lines.map { TextCell($0.engine, 24) }),
        ]
        let columns = DamageResult.columns.map { title, isSilent, count in
            TextColumn(
                title,
                lines.map { TextCell(Numbers.grouped(count($0.sum)), isWarning: isSilent && count($0.sum) > 0) })
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
            texts.isEmpty ? [] : ["", style.strong(title)] + texts.flatMap { Self.wrapped($0, indent: 2) }
        }
    }

    /// Whether Heartwood leads every peer in the rows where it claims to.
    private var claims: [String] {
        let lines = compared.claims.flatMap { standing -> [String] in
            let (mark, isWarning) =
                switch standing.outcome {
                case .leads: ("yes", false)
                case .leadsAs: ("in one way", false)
                case .behind: ("NO", true)
                case .unknown: ("?", false)
                }
            let name = PlainText.cut(PlainText.printable(standing.comparison.row.id), to: 20)
            return Self.wrapped(standing.words, first: Self.padded(name, 22) + mark, indent: 33)
                .map { isWarning ? style.warning($0) : $0 }
        }
        return lines.isEmpty ? [] : ["", style.strong("DOES HEARTWOOD LEAD EVERY PEER?")] + lines
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

    /// How text is highlighted on the terminal.
    struct Style: Sendable {
        let hasColour: Bool

        static let plain = Style(hasColour: false)

        init(hasColour: Bool) { self.hasColour = hasColour }

        /// Colour on a terminal that supports it, unless `NO_COLOR` is set.
        init(environment: [String: String], isTerminal: Bool) {
            hasColour = isTerminal && environment["TERM"] != "dumb" && environment["NO_COLOR", default: ""].isEmpty
        }

        static var ofStandardOutput: Style {
            Style(environment: ProcessInfo.processInfo.environment, isTerminal: isatty(STDOUT_FILENO) == 1)
        }

        func strong(_ text: String) -> String { hasColour ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
        func warning(_ text: String) -> String { hasColour ? "\u{1B}[33m\(text)\u{1B}[0m" : text }
    }
}

/// A cell of a table of text.
struct TextCell: Sendable {
    let text: String
    let isWarning: Bool

    init(_ text: String, _ length: Int = .max, isWarning: Bool = false) {
        self.text = PlainText.cut(PlainText.printable(text), to: length)
        self.isWarning = isWarning
    }
}

/// A column with its title.
struct TextColumn: Sendable {
    private let title: String
    private let isLeft: Bool
    private let cells: [TextCell]

    init(_ title: String, isLeft: Bool = false, _ cells: [TextCell]) {
        self.title = PlainText.printable(title)
        self.isLeft = isLeft
        self.cells = cells
    }

    private var width: Int { max(title.count, cells.map(\.text.count).max() ?? 0) }

    /// Columns side by side. Columns that don't fit follow below, with the fixed columns repeated.
    static func lines(_ fixed: [TextColumn], _ columns: [TextColumn], _ style: ResultsTable.Style) -> [String] {
        var blocks: [[TextColumn]] = [[]]
        for column in columns {
            let block = fixed + blocks[blocks.count - 1] + [column]
            let isTooWide = block.reduce(-2) { $0 + $1.width + 2 } > ResultsTable.width
            if isTooWide, blocks.last?.isEmpty == false { blocks.append([]) }
            blocks[blocks.count - 1].append(column)
        }
        return blocks.enumerated().flatMap { index, block in
            let rows = (0..<(fixed.first?.cells.count ?? 0)).filter { row in
                // Below the first block, rows without any cell are left out.
                index == 0 || block.contains { !$0.cells[row].text.isEmpty }
            }
            let all = fixed + block
            let head = all.map { $0.padded($0.title) }
            let lines = rows.map { row in
                all.map { column in
                    let text = column.padded(column.cells[row].text)
                    return column.cells[row].isWarning ? style.warning(text) : text
                }
            }
            return (index > 0 ? [""] : [])
                + ([head] + lines).map { cells in
                    String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
                }
        }
    }

    /// The text, padded to the column's width.
    private func padded(_ text: String) -> String {
        let space = String(repeating: " ", count: max(width - text.count, 0))
        return isLeft ? text + space : space + text
    }
}
