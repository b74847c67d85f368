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
        var json = JSONText()
        json.add("store", store)
        json.add("compacted", isCompacted)
        json.add("keys", keys)
        json.add("bytesBefore", before)
        json.add("bytesAfter", after)
        json.add("seconds", seconds)
        json.add(snapshot: report.snapshot)
        return json
    }
}

extension SnapshotDescription {
    /// As `compact` and `stats` show it.
    var json: JSONText {
        var json = JSONText()
        json.add("file", file)
        json.add("keys", keys)
        json.add("bytes", bytes)
        json.add("sequence", sequence)
        json.add("time", time.milliseconds)
        return json
    }
}
