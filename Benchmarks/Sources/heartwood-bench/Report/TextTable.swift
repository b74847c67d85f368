/// A table of text: the first columns flush left, the others flush right; columns without any content are left out.
struct TextTable {
    private var rows: [[String]]
    private let leftColumns: Int

    init(header: [String], leftColumns: Int) {
        rows = [header]
        self.leftColumns = leftColumns
    }

    mutating func add(_ row: [String]) { rows.append(row) }

    /// Whether there is nothing but the header.
    var isEmpty: Bool { rows.count == 1 }

    /// The lines; the first one is the header.
    var lines: [String] {
        let columns = rows[0].indices.filter { column in
            rows.dropFirst().contains { !$0[column].isEmpty }
        }
        let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let line = zip(columns, widths).map { column, width in
                let padding = String(repeating: " ", count: width - row[column].count)
                return column < leftColumns ? row[column] + padding : padding + row[column]
            }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
