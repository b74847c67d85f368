internal import HeartwoodInspection

/// The sections about the keys: of repositories, and of '--by-prefix'.
extension InspectReport {
    /// JSON has all of them.
    private static let mostPrefixes = 40

    /// The parts of repositories: records, and the entries of each index.
    var repositories: [String] {
        guard let parts = survey.totals.prefixes?.sections, !parts.isEmpty else { return [] }
        var table = TextTable([.left, .right, .right, .right, .right])
        table.add(["part", "keys", "live", "dead records", "dead"].map { .init($0, .dim) })
        for part in parts {
            table.add([
                .init(name(of: part, columns: 48)), .init(about + Numbers.grouped(part.keys)),
                .init(part.keys == 0 ? "-" : Numbers.bytes(part.liveBytes)),
                .init(part.deadRecords == 0 ? "-" : Numbers.grouped(part.deadRecords)),
                .init(part.deadRecords == 0 ? "-" : Numbers.bytes(part.deadBytes)),
            ])
        }
        var lines = table.lines(style)
        if parts.count == survey.totals.prefixes?.selection.most { lines.append("  only the first that occur") }
        return section("Repositories", lines)
    }

    var prefixes: [String] {
        guard let prefixes = survey.totals.prefixes, !prefixes.selection.separators.isEmpty else { return [] }
        var table = TextTable([.left, .right, .right, .right, .right, .left, .right])
        table.add(
            ["prefix", "keys", "key bytes", "value bytes", "largest", "its key", "longest key"].map { .init($0, .dim) })
        let groups = prefixes.groupsAndSections
        for group in groups.prefix(Self.mostPrefixes) { table.add(cells(of: group, name(of: group, columns: 24))) }
        if let group = prefixes.withoutSeparator { table.add(cells(of: group, "(none)")) }
        if let group = prefixes.others { table.add(cells(of: group, "(other)")) }
        var lines = table.lines(style)
        // The first line is the heading.
        if lines.count == 1 { lines = ["  there are no keys"] }
        if groups.count > Self.mostPrefixes {
            let more = Numbers.grouped(groups.count - Self.mostPrefixes)
            lines.append("  and \(more) more prefixes; '--json' has them all")
        }
        if prefixes.others != nil {
            lines.append(
                "  (other) is the rest: only the \(Numbers.grouped(prefixes.selection.most)) prefixes that occur first "
                    + "are followed")
        }
        return section("Keys by prefix, up to the first of \(prefixes.separators)", lines)
    }

    private func name(of group: PrefixGroup, columns: Int) -> String {
        guard let name = names.groupName(group.prefix) else {
            return InspectWords.text(group.prefix, columns: columns)
        }
        return name.count > columns ? name.prefix(columns - 1) + "…" : name
    }

    private func cells(of group: PrefixGroup, _ name: String) -> [TextTable.Cell] {
        [
            .init(name), .init(about + Numbers.grouped(group.keys)), .init(Numbers.bytes(group.keyBytes)),
            .init(Numbers.bytes(group.valueBytes)), .init(Numbers.bytes(group.largestValue?.valueBytes ?? 0)),
            .init(names.text(group.largestValue?.key ?? [], columns: 24)),
            .init(Numbers.bytes(group.longestKey?.key.count ?? 0)),
        ]
    }
}

extension PrefixSurvey {
    /// The separating characters, in order. They are ASCII.
    var separators: String { String(decoding: selection.separators.sorted(), as: UTF8.self) }

    /// What has live keys, that with the most bytes first.
    var groupsAndSections: [PrefixGroup] {
        let live = sections.filter { $0.keys > 0 }
        return live.isEmpty ? groups : (groups + live).sorted { $0.bytes > $1.bytes }
    }
}
