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

/// The wall clock that decides expiry and dates the commits. A test can pass its own.
///
/// Time in the store never goes back: it is the later of this clock and the time of the newest commit.
public protocol StoreClock: Sendable {
    /// The current time. It is called often, from any thread, and should not block.
    func now() -> Timestamp
}

/// The system's real-time clock.
public struct SystemClock: StoreClock {
    /// Creates the clock.
    public init() {}

    /// The current time.
    public func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000)
    }
}

/// Nanoseconds of a monotonic clock. For deadlines; never stored.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

/// When a value expires.
public struct Expiry: Sendable, Hashable {
    /// The kinds of expiry. More may be added: write a `default` in a `switch` over it.
    public enum Kind: Sendable, Hashable {
        /// See ``Expiry/never``.
        case never
        /// See ``Expiry/at(_:)``.
        case at(Timestamp)
        /// See ``Expiry/after(_:)``.
        case after(Duration)
    }

    /// Which kind it is, for code that interprets it.
    public let kind: Kind

    /// The value stays until it is overwritten or removed.
    public static let never = Expiry(kind: .never)
    /// The value expires at this time. A time in the past is allowed: the value is written but never returned.
    public static func at(_ time: Timestamp) -> Expiry { Expiry(kind: .at(time)) }
    /// The value expires after this duration, counted from the call by the store's clock.
    public static func after(_ duration: Duration) -> Expiry { Expiry(kind: .after(duration)) }

    /// The point in time. Nil for `.never`, and for `.after`, which becomes a point in time only when the value is
    /// written.
    public var timestamp: Timestamp? {
        if case .at(let time) = kind { time } else { nil }
    }

    /// Milliseconds since 1970, at least 1; 0 for never, as in the file format.
    func stored(now: Timestamp) -> UInt64 {
        switch kind {
        case .never: 0
        case .at(let time): max(1, time.milliseconds)
        case .after(let duration): max(1, (now + duration).milliseconds)
        }
    }
}

extension Expiry {
    /// Decodes the field of a record: milliseconds since 1970; 0 for never.
    init(stored: UInt64) {
        self = stored == 0 ? .never : .at(Timestamp(milliseconds: stored))
    }
}
