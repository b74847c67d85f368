/// A point that is held: the versions that it shows are kept until the last reference to this goes.
final class Hold: Sendable {
    let log: Log
    let point: HeldPoint
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
        self.point = log.index.hold(newest: point == .newest)
        now = log.now
    }

    /// Takes over a hold that somebody else took.
    init(_ log: Log, adopting point: HeldPoint, now: Timestamp) {
        self.log = log
        self.point = point
        self.now = now
    }

    deinit { log.index.release(point) }

    /// The number of the last write that is shown.
    var sequence: SequenceNumber { point.sequence }

    /// The number of keys of a range that are there. Linear in the range's keys.
    func count(_ range: KeyRange) -> Int {
        log.index.count(range, at: point.address, aliveAt: now.milliseconds)
    }

    var reader: Reader { Reader(log: log, point: .held(point, now: now)) }
}
