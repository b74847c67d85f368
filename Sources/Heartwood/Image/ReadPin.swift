/// A read pin: keeps the versions that its read point shows until the last reference to it is released.
final class ReadPin: Sendable {
    let image: StoreImage
    let point: ReadPoint
    /// The time at which the pin was taken. Expiry is judged by it.
    let now: Timestamp

    /// Which state to pin.
    enum Point {
        /// Everything that is visible.
        case visible
        /// Everything that was accepted, visible or not: for transactions.
        case newest
    }

    init(_ image: StoreImage, _ point: Point = .visible) {
        self.image = image
        self.point = image.index.pin(newest: point == .newest)
        now = image.now
    }

    /// Takes over a read point that is already pinned.
    init(_ image: StoreImage, adopting point: ReadPoint, now: Timestamp) {
        self.image = image
        self.point = point
        self.now = now
    }

    deinit { image.index.release(point) }

    /// The sequence number of the last write that it shows.
    var sequence: SequenceNumber { point.sequence }

    /// The number of keys in a range that have not expired. O(keys in the range).
    func count(_ range: KeyRange) -> Int {
        image.index.count(range, at: point.address, aliveAt: now.milliseconds)
    }
}
