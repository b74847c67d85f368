/// The periods in which operations were late.
struct Stalls: Sendable {
    /// Consecutive operations that were late.
    struct Stall: Sendable {
        /// From when the first was due until the last was done.
        var time: Range<UInt64>
        /// The largest delay, in nanoseconds.
        var length: UInt64
    }

    /// The shortest delay of a stall, in nanoseconds.
    private static let shortest: UInt64 = 20_000_000

    private(set) var all: [Stall] = []
    private var isLate = false

    /// Records an operation.
    @inline(__always)
    mutating func note(due: UInt64, done: UInt64) {
        if done &- due > Self.shortest || isLate { noteStall(due, done) }
    }

    private mutating func noteStall(_ due: UInt64, _ done: UInt64) {
        let length = done - due
        let wasLate = isLate
        isLate = length > Self.shortest
        guard isLate else { return }
        if wasLate {
            let last = all.count - 1
            all[last].time = all[last].time.lowerBound..<done
            all[last].length = max(all[last].length, length)
        } else {
            all.append(Stall(time: due..<done, length: length))
        }
    }
}
