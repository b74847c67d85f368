/// A table in Markdown. Its first column is aligned left, the others right.
struct MarkdownTable: Sendable {
    private var lines: [String]

    init(_ titles: [String]) {
        lines = [
            "| \(titles.joined(separator: " | ")) |",
            "|---|\(String(repeating: "---:|", count: max(titles.count - 1, 0)))",
        ]
    }

    /// - Parameter cells: Markdown, escaped already.
    mutating func add(_ cells: [String]) { lines.append("| \(cells.joined(separator: " | ")) |") }

    var text: String { lines.joined(separator: "\n") }

    /// The words with every character escaped that Markdown or a table could interpret.
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

    /// A name as code, if it has no special characters.
    static func code(_ name: String) -> String {
        let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.+/ ".contains($0)) }
        return isPlain ? "`\(name)`" : escaped(name)
    }
}
