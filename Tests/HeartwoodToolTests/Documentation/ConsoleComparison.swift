/// The output of a command in a document, compared with its real output.
struct ConsoleComparison {
    /// Lines of a document that stand for any lines, or none.
    private static let wildcards: Set<String> = ["…", "[...]"]

    private let expected: [String]
    private let found: [String]

    init(expected: [String], output: String) {
        self.expected = expected
        var lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        found = lines
    }

    var isEqual: Bool {
        matches(expected.map(Self.masked)[...], found.map(ConsoleMasks.mask)[...])
    }

    /// The lines that differ. `-` marks those that are only in the document, `+` those that are only in the output.
    var difference: String {
        let changes = found.map(ConsoleMasks.mask).difference(from: expected.map(Self.masked))
        let lines = changes.compactMap { change -> (offset: Int, text: String)? in
            switch change {
            case .remove(let offset, _, _):
                Self.wildcards.contains(expected[offset]) ? nil : (offset, "  - \(offset + 1): " + expected[offset])
            case .insert(let offset, _, _): (offset, "  + \(offset + 1): " + found[offset])
            }
        }
        return lines.sorted { $0.offset < $1.offset }.map(\.text).joined(separator: "\n")
    }

    private func matches(_ expected: ArraySlice<String>, _ found: ArraySlice<String>) -> Bool {
        guard let first = expected.first else { return found.isEmpty }
        if Self.wildcards.contains(first) {
            return (found.startIndex...found.endIndex).contains { matches(expected.dropFirst(), found[$0...]) }
        }
        return first == found.first && matches(expected.dropFirst(), found.dropFirst())
    }

    private static func masked(_ line: String) -> String {
        wildcards.contains(line) ? line : ConsoleMasks.mask(line)
    }
}
