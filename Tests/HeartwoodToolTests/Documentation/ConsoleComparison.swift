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

    /// The lines of both, in the order of the document. `-` marks those that are only in the document, `+` those that
    /// are only in the output.
    var difference: String {
        let (old, new) = (expected.map(Self.masked), found.map(ConsoleMasks.mask))
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var lines: [String] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if left < old.count, removed.contains(left) {
                lines.append((Self.wildcards.contains(expected[left]) ? "    " : "  - ") + expected[left])
                left += 1
            } else if right < new.count, inserted.contains(right) {
                lines.append("  + " + found[right])
                right += 1
            } else {
                lines.append("    " + found[right])
                left += 1
                right += 1
            }
        }
        return lines.joined(separator: "\n")
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
