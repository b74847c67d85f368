internal import Foundation

/// A cell of a table of text.
struct TextCell: Sendable {
    let text: String
    let isWarning: Bool

    init(_ text: String, isWarning: Bool = false) {
        self.text = PlainText.printable(text)
        self.isWarning = isWarning
    }
}

/// A column with its title.
struct TextColumn: Sendable {
    let title: String
    let isLeft: Bool
    let cells: [TextCell]

    init(_ title: String, isLeft: Bool = false, _ cells: [TextCell]) {
        self.title = PlainText.printable(title)
        self.isLeft = isLeft
        self.cells = cells
    }

    var width: Int { max(title.count, cells.map(\.text.count).max() ?? 0) }

    /// The text, padded to the column's width.
    fileprivate func padded(_ text: String) -> String {
        let space = String(repeating: " ", count: max(width - text.count, 0))
        return isLeft ? text + space : space + text
    }
}

/// Columns side by side. Columns that don't fit follow below, with the fixed columns repeated.
struct TextBlocks: Sendable {
    let fixed: [TextColumn]
    let columns: [TextColumn]
    let width: Int

    func lines(_ style: ResultsTable.Style) -> [String] {
        var blocks: [[TextColumn]] = []
        for column in columns {
            if let block = blocks.last, total(fixed + block + [column]) <= width {
                blocks[blocks.count - 1].append(column)
            } else {
                blocks.append([column])
            }
        }
        if blocks.isEmpty { blocks = [[]] }
        return blocks.enumerated().flatMap { index, block in
            let rows = (0..<(fixed.first?.cells.count ?? 0)).filter { row in
                // Below the first block, rows without any cell are left out.
                index == 0 || block.contains { !$0.cells[row].text.isEmpty }
            }
            return (index > 0 ? [""] : []) + lines(fixed + block, rows, style)
        }
    }

    private func total(_ columns: [TextColumn]) -> Int { columns.reduce(-2) { $0 + $1.width + 2 } }

    private func lines(_ columns: [TextColumn], _ rows: [Int], _ style: ResultsTable.Style) -> [String] {
        let head = columns.map { $0.padded($0.title) }.joined(separator: "  ")
        let lines = rows.map { row in
            columns.map { column in
                let cell = column.cells[row]
                return cell.isWarning ? style.warning(column.padded(cell.text)) : column.padded(cell.text)
            }.joined(separator: "  ")
        }
        return ([head] + lines).map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
    }
}

extension ResultsTable {
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
