/// A table as Markdown has them; its first column is flush left, the others flush right.
struct MarkdownTable: Sendable {
    private var lines: [String]

    init(_ titles: [String]) {
        lines = [
            "| \(titles.joined(separator: " | ")) |",
            "|---|\(String(repeating: "---:|", count: max(titles.count - 1, 0)))",
        ]
    }

    /// - Parameter cells: Markdown already.
    mutating func add(_ cells: [String]) { lines.append("| \(cells.joined(separator: " | ")) |") }

    var text: String { lines.joined(separator: "\n") }

    /// Words in which nothing is taken for Markdown, nor for the end of a cell.
    static func escaped(_ words: String) -> String {
        var result = ""
        for character in PlainText.printable(words) {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\\", "|", "`", "*", "_", "[", "]", "~": result += "\\\(character)"
            default: result.append(character)
            }
        }
        return result
    }

    /// A name in the letters of code, where it can be.
    static func code(_ name: String) -> String {
        let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.+/ ".contains($0)) }
        return isPlain ? "`\(name)`" : escaped(name)
    }
}
