/// Rows of text, with columns as wide as their content.
struct TextTable {
    struct Cell: ExpressibleByStringInterpolation {
        var text: String
        var paint: Style.Paint?

        init(_ text: String, _ paint: Style.Paint? = nil) {
            self.text = text
            self.paint = paint
        }

        init(stringLiteral text: String) { self.init(text) }
    }

    enum Alignment {
        case left
        case right
    }

    private let alignments: [Alignment]
    private let indent: Int
    private var rows: [[Cell]] = []

    init(_ alignments: [Alignment], indent: Int = 2) {
        self.alignments = alignments
        self.indent = indent
    }

    mutating func add(_ cells: [Cell]) { rows.append(cells) }

    /// The lines, without trailing spaces.
    func lines(_ style: Style) -> [String] {
        let widths = alignments.indices.map { column in
            rows.map { column < $0.count ? $0[column].text.count : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = String(repeating: " ", count: indent)
            for (column, cell) in row.enumerated() {
                if column > 0 { line += "  " }
                let blanks = String(repeating: " ", count: widths[column] - cell.text.count)
                let isLast = column == row.count - 1
                let painted = style(cell.text, cell.paint)
                switch alignments[column] {
                case .left: line += isLast ? painted : painted + blanks
                case .right: line += blanks + painted
                }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
