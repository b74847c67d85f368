internal import Foundation

/// Puts figures from results into a document.
///
/// The lines between `<!-- figures: NAME -->` and `<!-- /figures -->`, each on its own line, are replaced by the table
/// of that name: `summary`, `behind` (where peers are ahead), a group of rows, or `machine`, which is one line.
struct ReadmeFigures: Sendable {
    private let tables: FigureTables

    init(_ results: Results) { tables = FigureTables(ComparedResults(results)) }

    /// A document with new figures.
    struct Update: Sendable, Equatable {
        var text: String
        /// The names of its tables, in order.
        var names: [String] = []
        /// The names of the tables that had other figures.
        var outdated: [String] = []
        var isUpToDate: Bool { outdated.isEmpty }
    }

    /// Why a document can't be updated.
    enum Failure: Error, Equatable, CustomStringConvertible {
        case unknownName(String, line: Int)
        case withoutEnd(String, line: Int)
        case withoutBeginning(line: Int)

        var description: String {
            switch self {
            case .unknownName(let name, let line): "line \(line): there are no figures of the name '\(name)'"
            case .withoutEnd(let name, let line): "line \(line): the figures '\(name)' have no '\(ReadmeFigures.end)'"
            case .withoutBeginning(let line): "line \(line): '\(ReadmeFigures.end)' ends nothing"
            }
        }
    }

    /// The document with the figures of these results.
    func update(_ document: String) throws(Failure) -> Update {
        let newline = document.contains("\r\n") ? "\r\n" : "\n"
        var update = Update(text: "")
        var result: [String] = []
        var open: (name: String, line: Int, before: [String])?
        for (index, line) in document.components(separatedBy: newline).enumerated() {
            let number = index + 1
            if let name = Self.beginning(line) {
                if let open { throw .withoutEnd(open.name, line: open.line) }
                open = (name, number, [])
                result.append(line)
            } else if line.trimmingCharacters(in: .whitespaces) == Self.end {
                guard let block = open else { throw .withoutBeginning(line: number) }
                guard let text = tables.markdown(block.name) else { throw .unknownName(block.name, line: block.line) }
                let fresh = text.components(separatedBy: "\n")
                update.names.append(block.name)
                if fresh != block.before { update.outdated.append(block.name) }
                result += fresh + [line]
                open = nil
            } else if open != nil {
                open?.before.append(line)
            } else {
                result.append(line)
            }
        }
        if let open { throw .withoutEnd(open.name, line: open.line) }
        update.text = result.joined(separator: newline)
        return update
    }

    private static let end = "<!-- /figures -->"

    /// The name in a line that starts a table; nil in any other line.
    private static func beginning(_ line: String) -> String? {
        let trimmed = line.trimmingCharacters(in: .whitespaces)
        guard trimmed.hasPrefix("<!-- figures:"), trimmed.hasSuffix("-->") else { return nil }
        return trimmed.dropFirst("<!-- figures:".count).dropLast(3).trimmingCharacters(in: .whitespaces)
    }
}
