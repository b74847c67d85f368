/// A sequence number that is held: the versions that it shows are kept until the last reference to this goes.
final class Hold: Sendable {
    let log: Log
    let sequence: SequenceNumber
    /// The time at which it was taken: by it expiry is judged.
    let now: Timestamp

    /// Which state is held.
    enum Point {
        /// What is visible.
        case visible
        /// What was accepted, visible or not: for transactions.
        case newest
    }

    init(_ log: Log, _ point: Point = .visible) {
        self.log = log
        sequence = point == .visible ? log.index.hold() : log.index.holdNewest()
        now = log.now
    }

    deinit { log.index.release(sequence) }

    var reader: Reader { Reader(log: log, point: .held(sequence, now: now)) }
}
