import Heartwood

/// An hour of UTC: the time that one summary covers.
struct Hour: Hashable, Comparable, Codable, Sendable {
    static let milliseconds: UInt64 = 3_600_000

    /// Hours since 1970.
    let number: UInt32

    init(number: UInt32) { self.number = number }

    /// The hour of a time in milliseconds since 1970.
    init(of time: UInt64) { number = UInt32(truncatingIfNeeded: time / Self.milliseconds) }

    /// The first millisecond.
    var start: Timestamp { Timestamp(milliseconds: UInt64(number) * Self.milliseconds) }
    /// The millisecond after the last one.
    var end: Timestamp { Timestamp(milliseconds: (UInt64(number) + 1) * Self.milliseconds) }

    static func < (left: Hour, right: Hour) -> Bool { left.number < right.number }
}

extension Hour: CustomStringConvertible {
    /// The time at which it begins.
    var description: String { Timestamps.text(start.milliseconds) }
}
