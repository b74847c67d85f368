internal import Foundation

/// Prints a line without buffering.
func say(_ line: String) { put(line + "\n") }

private func put(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

/// A line that says how far a campaign is. Shown on a terminal only.
struct ProgressLine {
    private let isShown = isatty(STDOUT_FILENO) == 1

    func show(_ text: String) {
        if isShown { put("\r\u{1B}[K  \(text)") }
    }

    func clear() {
        if isShown { put("\r\u{1B}[K") }
    }
}

/// A duration as seconds with one decimal.
func inSeconds(_ duration: Duration) -> String {
    let tenths = Int(duration / .milliseconds(100))
    return "\(tenths / 10).\(tenths % 10) s"
}

/// A table of right-aligned columns.
struct TextTable {
    private var rows: [[String]]

    init(_ header: [String]) { rows = [header] }

    mutating func add(_ name: String, _ numbers: [Int], _ more: String...) {
        add([name] + numbers.map { "\($0)" } + more)
    }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The words of a name in code.
    static func words(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)" }
    }

    func print() {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max()! }
        for row in rows {
            let cells = row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + padding : padding + row[column]
            }
            say("  " + cells.joined(separator: "  "))
        }
    }
}
