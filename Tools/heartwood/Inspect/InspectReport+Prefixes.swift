internal import HeartwoodInspection

/// The section of `--by-prefix`.
extension InspectReport {
    /// JSON has all of them.
    private static let mostPrefixes = 40

    var prefixes: [String] {
        guard let prefixes = survey.totals.prefixes else { return [] }
        var table = TextTable([.left, .right, .right, .right, .right, .left, .right])
        table.add(
            ["prefix", "keys", "key bytes", "value bytes", "largest", "its key", "longest key"].map { .init($0, .dim) })
        for group in prefixes.groups.prefix(Self.mostPrefixes) {
            table.add(cells(of: group, InspectWords.key(group.prefix, columns: 24)))
        }
        if let group = prefixes.withoutSeparator { table.add(cells(of: group, "(none)")) }
        if let group = prefixes.others { table.add(cells(of: group, "(other)")) }
        var lines = table.lines(style)
        // The first line is the heading.
        if lines.count == 1 { lines = ["  there are no keys"] }
        if prefixes.groups.count > Self.mostPrefixes {
            let more = Numbers.grouped(prefixes.groups.count - Self.mostPrefixes)
            lines.append("  and \(more) more prefixes; '--json' has them all")
        }
        if prefixes.others != nil {
            lines.append(
                "  (other) is the rest: only the \(Numbers.grouped(prefixes.selection.most)) prefixes that occur first "
                    + "are followed")
        }
        return section("Keys by prefix, up to the first of \(prefixes.separators)", lines)
    }

    private func cells(of group: PrefixGroup, _ name: String) -> [TextTable.Cell] {
        [
            .init(name), .init(about + Numbers.grouped(group.keys)), .init(Numbers.bytes(group.keyBytes)),
            .init(Numbers.bytes(group.valueBytes)), .init(Numbers.bytes(group.largestValue.valueBytes)),
            .init(InspectWords.key(group.largestValue.key, columns: 24)),
            .init(Numbers.bytes(group.longestKey.key.count)),
        ]
    }
}

extension PrefixSurvey {
    /// The separating characters, in order. They are ASCII.
    var separators: String { String(decoding: selection.separators.sorted(), as: UTF8.self) }
}
