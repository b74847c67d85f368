#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A point in time, in milliseconds since 1970 (UTC).
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Milliseconds since 1970 (UTC).
    public var milliseconds: UInt64

    /// Creates a point in time from milliseconds since 1970 (UTC).
    public init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    /// The time of the system's real-time clock.
    package static var system: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000)
    }

    /// Whether `left` is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// The point in time that is `duration` later, rounded up to a millisecond and clamped to the range of the type.
    public static func + (left: Timestamp, duration: Duration) -> Timestamp {
        // In 128 bits no duration overflows; `components` traps for the longest.
        let (whole, part) = duration.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return Timestamp(milliseconds: UInt64(clamping: Int128(left.milliseconds) + whole + (part > 0 ? 1 : 0)))
    }

    /// The number of milliseconds, with the unit.
    public var description: String { "\(milliseconds) ms" }
}
