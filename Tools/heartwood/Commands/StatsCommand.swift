internal import ArgumentParser
internal import Heartwood
internal import HeartwoodFormat

struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Print figures of a store.",
        discussion: """
            Keys, sizes, what 'heartwood compact' would free, and what the opening found: whether the store was closed \
            in order, or left by a crash, and where its log is torn. A torn log loses nothing that was acknowledged as \
            synced.

            A snapshot is what a compaction writes: all records that were live then, in key order. The log is what was \
            written since. Dead bytes are overwritten and deleted records, and what the format needs.

              heartwood stats notes
              heartwood stats notes --json
            """
    )

    @OptionGroup var store: StoreArgument

    @Flag(help: "Print a JSON object; sizes in bytes, times in seconds.")
    var json = false

    func run() async throws {
        let report = try await store.withStore { [path = store.path] store in
            StatsReport(
                path: path, figures: store.statistics, opening: store.recoveryReport,
                keyBytes: try Self.keyBytes(of: store.readView()))
        }
        try StandardOutput.printLine(json ? report.json.string : report.table)
    }

    private static func keyBytes(of view: ReadView) throws -> UInt64 {
        var bytes: UInt64 = 0
        try view.forEachKey { key in
            bytes += UInt64(key.byteCount)
            return .next
        }
        return bytes
    }
}

/// The figures of a store, as a table and as JSON.
private struct StatsReport: Sendable {
    let path: String
    let figures: Store.Statistics
    let opening: RecoveryReport
    let keyBytes: UInt64

    var table: String {
        var rows: [(name: String, value: String)] = [
            ("store", path),
            ("keys", Numbers.grouped(figures.keys)),
            ("last write", Numbers.sequence(opening.lastSequence)),
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
        for file in opening.skippedFiles {
            let advice = "the log that it covers is whole, and nothing is lost; 'heartwood compact' replaces it"
            rows.append(("damaged", "\(file): \(advice). Check the disk."))
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
        found.add("skippedFiles", opening.skippedFiles)

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

    /// An estimate, as that of 'heartwood inspect'.
    private var reclaimableBytes: UInt64 {
        guard opening.records > 0 else { return 0 }
        let after =
            SnapshotFooter.fileBytes(
                records: figures.liveBytes, keys: UInt64(figures.keys), keyBytes: keyBytes)
            + UInt64(FormatConstants.fileHeaderSize + FormatConstants.commitHeaderSize)
        return figures.fileBytes - min(figures.fileBytes, after)
    }

    private var gain: String {
        if opening.records == 0 { return opening.snapshot == nil ? "nothing" : "nothing: all of it is compacted" }
        // Less than the error of the estimate.
        if reclaimableBytes < figures.fileBytes / 50 { return "hardly anything" }
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
            "torn by a crash: \(Numbers.count(bytes, "byte")) after offset \(Numbers.grouped(offset)) of "
                + "\(file) were never acknowledged as synced, and are skipped"
        }
    }
}

extension Store.Statistics {
    /// Bytes of the log and the snapshot with the headers of all files, without preallocated space.
    var fileBytes: UInt64 { logBytes + UInt64(segments * FormatConstants.fileHeaderSize) + snapshotBytes }
}
