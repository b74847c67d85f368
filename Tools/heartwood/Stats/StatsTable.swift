internal import Heartwood

/// What all reports of `stats` have.
enum StatsTable {
    /// A row for each name.
    static func text(_ rows: [(name: String, value: String)]) -> String {
        let width = rows.map(\.name.count).max() ?? 0
        return
            rows
            .map { $0.name + String(repeating: " ", count: width - $0.name.count + 2) + Escaping.line($0.value) }
            .joined(separator: "\n")
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
