/// A point in time, in milliseconds since 1970 (UTC).
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Milliseconds since 1970 (UTC).
    public var milliseconds: UInt64

    /// Creates a point in time from milliseconds since 1970 (UTC).
    public init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    /// Whether `left` is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// The point in time that is `duration` later, rounded up to a millisecond and clamped to the range of the type.
    public static func + (left: Timestamp, duration: Duration) -> Timestamp {
        // Longer ones are beyond the range, and `components` traps for some of them.
        let range = Duration.milliseconds(UInt64.max)
        guard duration < range else { return Timestamp(milliseconds: .max) }
        guard duration > .zero - range else { return Timestamp(milliseconds: 0) }
        let (seconds, attoseconds) = duration.components
        let part = (attoseconds + (attoseconds > 0 ? 999_999_999_999_999 : 0)) / 1_000_000_000_000_000
        let delta = seconds.magnitude * 1_000 + part.magnitude
        if duration < .zero { return Timestamp(milliseconds: left.milliseconds - min(left.milliseconds, delta)) }
        let (sum, overflow) = left.milliseconds.addingReportingOverflow(delta)
        return Timestamp(milliseconds: overflow ? .max : sum)
    }

    /// The number of milliseconds, with the unit.
    public var description: String { "\(milliseconds) ms" }
}
