internal import Heartwood

/// The result of a compaction.
struct CompactSummary {
    let store: String
    /// Keys in the snapshot.
    let keys: Int
    /// Bytes of log and snapshot, before and after.
    let before: UInt64
    let after: UInt64
    let seconds: Double
    let report: CompactionReport

    /// False if nothing was written since the last compaction, or ever.
    private var isCompacted: Bool { report.replacedBytes > 0 }

    var text: String {
        guard isCompacted else {
            return "nothing to compact: \(store) "
                + (report.snapshot == nil ? "holds nothing yet" : "is as the last compaction left it")
        }
        return "compacted \(Numbers.count(keys, "key")) in \(Numbers.time(seconds)): "
            + "\(Numbers.bytes(before)) before, \(Numbers.bytes(after)) after" + (after > before ? Self.larger : "")
    }

    private static let larger = " (larger: the snapshot format takes more than was freed)"

    var json: JSONText {
        [
            "store": store, "compacted": isCompacted, "keys": keys, "bytesBefore": before, "bytesAfter": after,
            "seconds": seconds, "snapshot": report.snapshot?.json,
        ]
    }
}

extension SnapshotDescription {
    /// As `compact` and `stats` show it.
    var json: JSONText {
        ["file": file, "keys": keys, "bytes": bytes, "sequence": sequence, "time": time.milliseconds]
    }
}
