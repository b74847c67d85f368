/// The times at which operations were late.
struct Stalls: Sendable {
    /// Operations in a row, each of which was late.
    struct Stall: Sendable {
        /// From when the first was due to when the last was done.
        var time: Range<UInt64>
        /// How late the latest was, in nanoseconds.
        var length: UInt64
    }

    /// What is shorter isn't a stall.
    private static let shortest: UInt64 = 20_000_000

    private(set) var all: [Stall] = []
    private var isLate = false

    /// Takes note of an operation.
    @inline(__always)
    mutating func note(due: UInt64, done: UInt64) {
        if done &- due > Self.shortest || isLate { noteRarely(due, done) }
    }

    private mutating func noteRarely(_ due: UInt64, _ done: UInt64) {
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
