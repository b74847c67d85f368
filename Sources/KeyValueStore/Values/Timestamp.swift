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
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return Timestamp(milliseconds: seconds > 0 ? .max : 0) }
        let part = (attoseconds + (attoseconds > 0 ? 999_999_999_999_999 : 0)) / 1_000_000_000_000_000
        let (delta, overflowed) = whole.addingReportingOverflow(part)
        if overflowed { return Timestamp(milliseconds: .max) }
        if delta < 0 {
            return Timestamp(milliseconds: left.milliseconds - min(left.milliseconds, delta.magnitude))
        }
        let (sum, tooLate) = left.milliseconds.addingReportingOverflow(UInt64(delta))
        return Timestamp(milliseconds: tooLate ? .max : sum)
    }

    /// The number of milliseconds, with the unit.
    public var description: String { "\(milliseconds) ms" }
}
