internal import Foundation

extension Report {
    /// The header and the tables, for people.
    ///
    /// - Parameter style: How yes and no are set off.
    func text(_ workloads: [any Workload], style: Style) -> String {
        var lines = header
        for group in WorkloadGroup.allCases {
            let entries = cells.filter { $0.group == group }
            guard !entries.isEmpty else { continue }
            lines.append("")
            lines.append(style.strong(group.title))
            lines += table(entries, workloads, style)
            if let raw = entries.first(where: { $0.name == RawLoop.name })?.rate, raw.isErratic, entries.count > 1 {
                lines.append(
                    "The raw loop reached \(Numbers.rate(raw.minimum)) at one time and \(Numbers.rate(raw.maximum)) at "
                        + "another: something else used the disk, and the ratios prove nothing.")
            }
        }
        if !isComplete { lines += ["", "Not every run was done: these are the figures of those that were."] }
        return lines.joined(separator: "\n") + "\n"
    }

    private var header: [String] {
        let system = fileSystem.map { "\($0.kind) on \($0.device) (\($0.options))" } ?? "unknown"
        let timing = "\(settings.runs) run\(settings.runs == 1 ? "" : "s") of \(Self.seconds(settings.seconds)) each"
        var lines = [
            "heartwood-bench, \(date.formatted(.iso8601))",
            "  command      \(commandLine.joined(separator: " "))",
            "  processor    \(machine.processor), \(machine.cores) core\(machine.cores == 1 ? "" : "s")",
            "  memory       \(Numbers.bytes(machine.memoryBytes))",
            "  kernel       \(machine.kernel)",
            "  directory    \(directory)",
            "  file system  \(system)",
            "  Swift        \(machine.swift)",
            "  data         \(settings.keyBytes)-byte random keys, \(settings.valueBytes)-byte random values, "
                + "\(Numbers.grouped(settings.keys)) keys, then overwrites",
            "  figures      medians of \(timing), interleaved; latencies of all runs together",
        ]
        if let load = machine.loadAverage {
            lines.append(
                "  load         \(Numbers.decimal(load, digits: 2)) at the start"
                    + (load > 0.5 ? ": other work was running, so expect noise" : ""))
        }
        if fileSystem?.isInMemory == true {
            lines.append("  NOTE         this file system is in memory: a sync costs nothing here and means nothing")
        }
        if settings.runs < 5 || settings.seconds < 10 {
            lines.append("  NOTE         a quick look: a figure to rely on takes 5 runs of 10 s or more")
        }
        return lines
    }

    private func table(_ entries: [Entry], _ workloads: [any Workload], _ style: Style) -> [String] {
        let beside = workloads.first { $0.group == entries[0].group && $0.besideTitle != nil }?.besideTitle
        var table = TextTable(
            header: [
                "", "name", "median/s", "lowest", "highest", "x raw", "target", "reached", "p50", "p99", "p99.9",
                "syncs/s", "writes/sync", beside ?? "",
            ],
            leftColumns: 2)
        for entry in entries {
            table.add([
                workloads.first { $0.name == entry.name }?.title ?? entry.name,
                entry.name,
                Numbers.rate(entry.rate.median),
                Numbers.rate(entry.rate.minimum),
                Numbers.rate(entry.rate.maximum),
                entry.timesRaw.map(Numbers.ratio) ?? "",
                entry.targetTimesRaw.map(Numbers.ratio) ?? entry.targetPerSecond.map(Numbers.rate) ?? "",
                entry.isReached.map { $0 ? "yes" : "NO" } ?? (entry.hasTarget ? "?" : ""),
                entry.latency.map { Numbers.latency($0.p50) } ?? "",
                entry.latency.map { Numbers.latency($0.p99) } ?? "",
                entry.latency.map { Numbers.latency($0.p999) } ?? "",
                entry.syncsPerSecond.map { Numbers.rate($0.median) } ?? "",
                entry.writesPerSync.map { Numbers.decimal($0.median, digits: 1) } ?? "",
                entry.beside.map { Numbers.rate($0.median) } ?? "",
            ])
        }
        return zip(table.lines, [nil] + entries.map(\.isReached)).map { line, isReached in
            isReached == false ? style.warning(line) : line
        }
    }

    private static func seconds(_ seconds: Double) -> String {
        seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(Numbers.decimal(seconds, digits: 1)) s"
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
