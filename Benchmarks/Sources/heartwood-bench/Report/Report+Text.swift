internal import Foundation

extension Report {
    /// The header and the tables, for people.
    ///
    /// - Parameter style: How yes and no are set off.
    func text(_ workloads: [any Workload], style: Style) -> String {
        var lines = header
        let titles = Dictionary(uniqueKeysWithValues: workloads.map { ($0.name, $0.title) })
        for group in WorkloadGroup.allCases {
            let entries = cells.filter { $0.group == group }
            guard !entries.isEmpty else { continue }
            lines += ["", style.strong(group.title)]
            lines += table(entries, titles, beside: workloads.first { $0.group == group && $0.besideTitle != nil })
            if let note = group.note { lines.append(note) }
            lines += figures(entries)
            if group == .memory { lines += [""] + footprints(entries) }
            if let raw = entries.first(where: { $0.name == RawLoop.name })?.rate, raw.isErratic, entries.count > 1 {
                lines.append(
                    "The raw loop reached \(Numbers.rate(raw.minimum)) at one time and \(Numbers.rate(raw.maximum)) at "
                        + "another: something else used the disk, and the ratios prove nothing.")
            }
        }
        lines += verdicts(style)
        if !isComplete { lines += ["", "Not every run was done: these are the figures of those that were."] }
        return lines.joined(separator: "\n") + "\n"
    }

    private func table(_ entries: [Entry], _ titles: [String: String], beside: (any Workload)?) -> [String] {
        var table = TextTable(
            header: [
                "", "name", "median/s", "lowest", "highest", "ns each", "s each", "x raw", "Heartwood is", "p50", "p99",
                "p99.9", "highest", "syncs/s", "writes/sync", "rotations", beside?.besideTitle ?? "",
            ],
            leftColumns: 2)
        for entry in entries {
            let isQuick = entry.group != .durable && entry.wholeSeconds == nil && entry.rate.median > 0
            table.add([
                titles[entry.name] ?? entry.name,
                entry.name,
                Numbers.rate(entry.rate.median),
                Numbers.rate(entry.rate.minimum),
                Numbers.rate(entry.rate.maximum),
                isQuick ? Numbers.decimal(1e9 / entry.rate.median, digits: entry.rate.median > 1e8 ? 1 : 0) : "",
                entry.wholeSeconds.map { Numbers.decimal($0, digits: 2) } ?? "",
                entry.timesRaw.map(Numbers.ratio) ?? "",
                entry.timesHere.map { "\(Numbers.ratio($0)) x" } ?? "",
                entry.latency.map { Numbers.latency($0.p50) } ?? "",
                entry.latency.map { Numbers.latency($0.p99) } ?? "",
                entry.latency.map { Numbers.latency($0.p999) } ?? "",
                entry.group == .compaction ? entry.latency.map { Numbers.latency($0.maximum) } ?? "" : "",
                entry.syncsPerSecond.map { Numbers.rate($0.median) } ?? "",
                entry.writesPerSync.map { Numbers.decimal($0.median, digits: 1) } ?? "",
                entry.rotations.map { "\($0)" } ?? "",
                entry.beside.map { Numbers.rate($0.median) } ?? "",
            ])
        }
        return table.lines
    }

    /// What else was measured, the same of all workloads together.
    private func figures(_ entries: [Entry]) -> [String] {
        var table = TextTable(header: ["", "name", "median", "lowest", "highest"], leftColumns: 2)
        for figure in Figure.allCases {
            for entry in entries {
                guard let spread = entry.figures?[figure.rawValue] else { continue }
                table.add(
                    [figure.title, entry.name]
                        + [spread.median, spread.minimum, spread.maximum].map(figure.text))
            }
        }
        return table.isEmpty ? [] : [""] + table.lines
    }

    /// What the index takes, as Markdown, to be taken into a document as it is.
    private func footprints(_ entries: [Entry]) -> [String] {
        let lines = entries.compactMap(\.footprint).sorted { ($0.keys, $0.keyBytes) < ($1.keys, $1.keyBytes) }.map {
            footprint -> String in
            let bytes = [
                footprint.inserted, footprint.insertedBeyondKey, footprint.loaded, footprint.loadedBeyondKey,
            ].map { Numbers.decimal($0, digits: 1) }
            return "| \(footprint.keyBytes) | \(Numbers.grouped(footprint.keys)) | \(bytes.joined(separator: " | ")) |"
        }
        return [
            "| key bytes | keys | index bytes a key, put singly | beyond the key | after reopening | beyond the key |",
            "|---:|---:|---:|---:|---:|---:|",
        ] + lines
    }

    /// Every target with what was measured.
    private func verdicts(_ style: Style) -> [String] {
        var table = TextTable(header: ["name", "wanted", "measured", "reached", ""], leftColumns: 5)
        var marks: [Bool?] = []
        for entry in cells {
            for verdict in entry.verdicts {
                marks.append(verdict.isReached)
                table.add([
                    entry.name, verdict.wanted, verdict.measured, verdict.isReached.map { $0 ? "yes" : "NO" } ?? "?",
                    verdict.reason.map { "(\($0))" } ?? "",
                ])
            }
        }
        guard !marks.isEmpty else { return [] }
        return ["", style.strong("TARGETS")]
            + zip(table.lines, [nil] + marks).map { line, isReached in isReached == false ? style.warning(line) : line }
    }

    /// How text is set off on the terminal.
    struct Style: Sendable {
        let hasColour: Bool

        /// Colour where standard output is a terminal that has some, and `NO_COLOR` isn't set.
        static var ofStandardOutput: Style {
            let environment = ProcessInfo.processInfo.environment
            return Style(
                hasColour: isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
                    && environment["NO_COLOR", default: ""].isEmpty)
        }

        func strong(_ text: String) -> String { hasColour ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
        func warning(_ text: String) -> String { hasColour ? "\u{1B}[33m\(text)\u{1B}[0m" : text }
    }
}
