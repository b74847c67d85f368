internal import Heartwood
internal import HeartwoodFormat

/// The figures of a store that was opened, as a table and as JSON.
struct StatsReport: Sendable {
    let path: String
    let storeID: StoreID
    let figures: Store.Statistics
    let opening: RecoveryReport
    let keyBytes: UInt64

    /// After the last write. That of the open store may be at numbers that the opening skipped.
    private var position: ChangePosition { ChangePosition(store: storeID, sequence: opening.lastSequence) }

    var table: String {
        var rows: [(name: String, value: String)] = [
            ("store", path),
            ("keys", Numbers.grouped(figures.keys)),
            ("last write", Numbers.sequence(opening.lastSequence)),
            ("position", String(position)),
            ("snapshot", StatsTable.snapshot(opening.snapshot)),
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
        rows += StatsTable.time(ahead: figures.timeAhead)
        for file in opening.skippedFiles {
            let advice = "the log that it covers is whole, and nothing is lost; 'heartwood compact' replaces it"
            rows.append(("damaged", "\(file): \(advice). Check the disk."))
        }
        return StatsTable.text(rows)
    }

    var json: JSONText {
        var found: JSONText
        switch opening.tail {
        case .new: found = ["tail": "new"]
        case .closed: found = ["tail": "closed"]
        case .unclosed: found = ["tail": "unclosed"]
        case .torn(let file, let offset, let bytes):
            found = ["tail": "torn", "tornFile": file, "tornOffset": offset, "tornBytes": bytes]
        }
        found.add([
            "segments": opening.segments, "commits": opening.commits, "batches": opening.batches,
            "records": opening.records, "bytes": opening.bytes, "seconds": opening.duration.seconds,
            "skippedFiles": opening.skippedFiles,
        ])
        return [
            "store": path, "keys": figures.keys, "lastSequence": opening.lastSequence, "position": String(position),
            "logBytes": figures.logBytes, "liveBytes": figures.liveBytes, "snapshotBytes": figures.snapshotBytes,
            "deadBytes": figures.deadBytes, "reclaimableBytes": reclaimableBytes,
            "spaceAmplification": figures.spaceAmplification, "snapshot": opening.snapshot?.json,
            "segments": figures.segments, "indexBytes": figures.indexBytes,
            "timeAhead": figures.timeAhead.components.seconds, "opening": found,
        ]
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
