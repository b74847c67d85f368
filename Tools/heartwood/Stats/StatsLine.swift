internal import Heartwood
internal import HeartwoodFormat

/// A line of `stats --watch`.
struct StatsLine {
    let time: Timestamp
    let position: ChangePosition
    let figures: ReadOnlyStore.Statistics
    /// Nil in the first line, and if numbers have jumped: the difference is then no count of writes.
    let writesPerSecond: Double?

    /// - Parameters:
    ///   - before: The position of the line before.
    ///   - elapsed: The time since then.
    init(_ store: ReadOnlyStore, since before: ChangePosition?, elapsed: Duration) {
        (time, position, figures) = (SystemClock().now(), store.position, store.statistics)
        guard let before, before.store == position.store, before.sequence <= position.sequence,
            before.sequence / FormatConstants.sequenceEpoch == position.sequence / FormatConstants.sequenceEpoch
        else {
            writesPerSecond = nil
            return
        }
        writesPerSecond = Double(position.sequence - before.sequence) / max(elapsed.seconds, 1e-3)
    }

    var text: String {
        let rate = writesPerSecond.map { Numbers.grouped(UInt64($0.rounded())) } ?? "-"
        let snapshot = figures.snapshot.map { "up to number \(Numbers.grouped($0.sequence))" } ?? "none"
        return "\(Numbers.count(figures.keys, "key"))  \(Numbers.bytes(figures.liveBytes)) live  \(rate) writes/s  "
            + "position \(position)  snapshot \(snapshot)"
    }

    var json: JSONText {
        [
            "time": time.milliseconds, "keys": figures.keys, "liveBytes": figures.liveBytes,
            "position": String(position), "writesPerSecond": writesPerSecond, "snapshot": figures.snapshot?.json,
        ]
    }
}
