internal import ArgumentParser
internal import Heartwood

struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Print figures of a store.",
        discussion: """
            What the store holds, what it takes, what 'heartwood compact' would give back, and what opening it found: \
            whether it had been closed in order, or was left by a crash, and where its log was torn then, which loses \
            nothing that was acknowledged as synced.

            A snapshot is what a compaction writes: all that was live then, in the order of keys. The log is what was \
            written since. Dead bytes are those of neither a newest value nor its key: overwritten, deleted, and \
            what the format takes.

              heartwood stats notes
              heartwood stats notes --json
            """
    )

    @OptionGroup var store: StoreArgument

    @Flag(help: "Print a JSON object; sizes in bytes, times in seconds.")
    var json = false

    func run() async throws {
        let (figures, opening) = try await store.withStore { ($0.statistics, $0.recoveryReport) }
        let report = StatsReport(path: store.path, figures: figures, opening: opening)
        try StandardOutput.printLine(json ? report.json.string : report.table)
    }
}

/// The figures of a store, as a table and as JSON.
private struct StatsReport {
    let path: String
    let figures: Store.Statistics
    let opening: RecoveryReport

    var table: String {
        var rows: [(name: String, value: String)] = [
            ("store", path),
            ("keys", Numbers.grouped(figures.keys)),
            ("last write", "number \(Numbers.grouped(opening.lastSequence))"),
            ("snapshot", snapshot),
            (
                "log",
                "\(Numbers.bytes(figures.logBytes)) in \(Numbers.count(figures.segments, "segment"))"
                    + (opening.snapshot == nil ? "" : ", written since the snapshot")
            ),
            ("space", space),
            ("to gain", gain),
            ("index", "\(Numbers.bytes(figures.indexBytes)) of memory"),
            ("found", tail),
            ("opened", "in \(Numbers.time(opening.duration.seconds)): \(whatWasRead)"),
        ]
        for file in opening.passedOver {
            let advice = "the log that it covers is whole, and nothing is lost; 'heartwood compact' replaces it"
            rows.append(("damaged", "\(file): \(advice). Look at the disk."))
        }
        let width = rows.map(\.name.count).max() ?? 0
        return
            rows
            .map { $0.name + String(repeating: " ", count: width - $0.name.count + 2) + Escaping.line($0.value) }
            .joined(separator: "\n")
    }

    var json: JSONText {
        var found = JSONText()
        switch opening.tail {
        case .new: found.add("tail", "new")
        case .closed: found.add("tail", "closed")
        case .unclosed: found.add("tail", "unclosed")
        case .torn(let file, let offset, let bytes):
            found.add("tail", "torn")
            found.add("tornFile", file)
            found.add("tornOffset", offset)
            found.add("tornBytes", bytes)
        }
        found.add("segments", opening.segments)
        found.add("commits", opening.commits)
        found.add("batches", opening.batches)
        found.add("records", opening.records)
        found.add("bytes", opening.bytes)
        found.add("seconds", opening.duration.seconds)
        found.add("passedOver", opening.passedOver)

        var json = JSONText()
        json.add("store", path)
        json.add("keys", figures.keys)
        json.add("lastSequence", opening.lastSequence)
        json.add("logBytes", figures.logBytes)
        json.add("liveBytes", figures.liveBytes)
        json.add("snapshotBytes", figures.snapshotBytes)
        json.add("deadBytes", figures.deadBytes)
        json.add("reclaimableBytes", reclaimableBytes)
        if let amplification = figures.spaceAmplification {
            json.add("spaceAmplification", amplification)
        } else {
            json.addNull("spaceAmplification")
        }
        if let snapshot = opening.snapshot { json.add("snapshot", snapshot.json) } else { json.addNull("snapshot") }
        json.add("segments", figures.segments)
        json.add("indexBytes", figures.indexBytes)
        json.add("opening", found)
        return json
    }

    /// `7.1 MiB: 34,006 keys up to number 34,006, made 2026-03-01 12:00:00 UTC`
    private var snapshot: String {
        guard let snapshot = opening.snapshot else { return "none: it was never compacted" }
        return "\(Numbers.bytes(snapshot.bytes)): \(Numbers.count(snapshot.keys, "key")) "
            + "up to number \(Numbers.grouped(snapshot.sequence)), made \(Numbers.moment(snapshot.time.milliseconds))"
    }

    private var space: String {
        let total = figures.logBytes + figures.snapshotBytes
        var text = "\(Numbers.bytes(total)): \(Numbers.bytes(total - figures.deadBytes)) live, "
        text += "\(Numbers.bytes(figures.deadBytes)) dead"
        if let amplification = figures.spaceAmplification {
            text += "; \(Numbers.decimal(amplification, places: 2)) bytes for each live one"
        }
        return text
    }

    /// An estimate. Some of the dead bytes will be needed by the next snapshot, which has every key twice. The index
    /// has the keys too, and is about twice as large as that copy.
    private var reclaimableBytes: UInt64 {
        guard opening.records > 0 else { return 0 }
        return figures.deadBytes - min(figures.deadBytes, UInt64(figures.indexBytes / 2))
    }

    private var gain: String {
        if opening.records == 0 { return opening.snapshot == nil ? "nothing" : "nothing: all of it is compacted" }
        // Less than the error of the estimate.
        let total = figures.logBytes + figures.snapshotBytes
        if reclaimableBytes < total / 50 { return "hardly anything" }
        return "about \(Numbers.bytes(reclaimableBytes)), by 'heartwood compact'"
    }

    /// `the snapshot's 34,006 keys; 12 records of log, 1.5 KiB`
    private var whatWasRead: String {
        let log = "\(Numbers.count(opening.records, "record")) of log, \(Numbers.bytes(opening.bytes))"
        guard let snapshot = opening.snapshot else { return log }
        return "the snapshot's \(Numbers.count(snapshot.keys, "key")); \(log)"
    }

    /// How the last process left the store.
    private var tail: String {
        switch opening.tail {
        case .new: "new: nothing was ever written"
        case .closed: "closed in order"
        case .unclosed: "not closed (a crash, or a kill); every commit is whole"
        case .torn(let file, let offset, let bytes):
            "torn by a crash: \(Numbers.count(bytes, "byte")) behind offset \(Numbers.grouped(offset)) of "
                + "\(file) were never acknowledged as synced, and are passed over"
        }
    }
}
