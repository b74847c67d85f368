internal import Heartwood
internal import HeartwoodFormat

/// What all reports of `stats` have.
enum StatsTable {
    /// A row for each name.
    static func text(_ rows: [(name: String, value: String)]) -> String {
        var table = TextTable([.left, .left], indent: 0)
        for row in rows { table.add([.init(row.name), .init(Escaping.line(row.value))]) }
        return table.lines(.plain).joined(separator: "\n")
    }

    /// The row of a store whose time is ahead of the clock by a second or more.
    static func time(ahead: Duration) -> [(name: String, value: String)] {
        ahead < .seconds(1) ? [] : [("time", Numbers.ahead(ahead))]
    }

    /// `7.1 MiB: 34,006 keys up to number 34,006, made 2026-03-01 12:00:00 UTC`
    static func snapshot(_ snapshot: SnapshotDescription?) -> String {
        guard let snapshot else { return "none: it was never compacted" }
        return "\(Numbers.bytes(snapshot.bytes)): \(Numbers.count(snapshot.keys, "key")) "
            + "up to number \(Numbers.grouped(snapshot.sequence)), made \(Numbers.moment(snapshot.time.milliseconds))"
    }
}

extension Numbers {
    /// "number 34,006"; after a jump, with the reason.
    static func sequence(_ number: UInt64) -> String {
        let text = "number \(grouped(number))"
        guard number >= FormatConstants.sequenceEpoch else { return text }
        return text + "; numbers jumped to a multiple of 2^32, as after a crash, a compaction or a repair"
    }

    /// "365 days ahead of the clock"
    static func ahead(_ time: Duration) -> String {
        let seconds = time.components.seconds
        let units: [(length: Int64, name: String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        let (length, name) = units.first { seconds >= 2 * $0.length } ?? (length: 1, name: "second")
        return count((seconds + length / 2) / length, name) + " ahead of the clock"
    }
}
