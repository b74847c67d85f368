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

    /// A point in time.
    public init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    /// Earlier or later.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// The point in time that lies `duration` later, rounded up to a millisecond and kept within the range.
    public static func + (left: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return Timestamp(milliseconds: seconds > 0 ? .max : 0) }
        let part = attoseconds > 0 ? (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000 : 0
        let (delta, overflowed) = whole.addingReportingOverflow(part)
        if overflowed { return Timestamp(milliseconds: .max) }
        if delta < 0 {
            return Timestamp(milliseconds: left.milliseconds - min(left.milliseconds, delta.magnitude))
        }
        let (sum, tooLate) = left.milliseconds.addingReportingOverflow(UInt64(delta))
        return Timestamp(milliseconds: tooLate ? .max : sum)
    }

    /// The number of milliseconds.
    public var description: String { "\(milliseconds) ms" }
}

/// The wall clock that judges expiry and dates the commits. Give your own to a test.
///
/// The store never goes back: its now is the larger of this clock and its newest commit's time.
public protocol StoreClock: Sendable {
    /// The time of day. Called often, from any thread; should not block.
    func now() -> Timestamp
}

/// The system's real-time clock.
public struct SystemClock: StoreClock {
    /// The system's real-time clock.
    public init() {}

    /// The time of day.
    public func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000)
    }
}

/// Nanoseconds of a clock that never goes back; for deadlines, never stored.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

/// When a value ceases to exist.
public struct Expiry: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case never, at(Timestamp), after(Duration) }
    let kind: Kind

    /// Stays until it is overwritten or removed.
    public static let never = Expiry(kind: .never)
    /// Is gone from this point in time on. A time in the past is allowed: the value is written, and never seen.
    public static func at(_ time: Timestamp) -> Expiry { Expiry(kind: .at(time)) }
    /// Is gone after this time, counted from the call by the store's clock.
    public static func after(_ duration: Duration) -> Expiry { Expiry(kind: .after(duration)) }

    /// The point in time; nil for `.never`, and for `.after`, which becomes one when the value is written.
    public var timestamp: Timestamp? {
        if case .at(let time) = kind { time } else { nil }
    }

    /// Milliseconds since 1970, at least 1; 0 for never, as in the file.
    func stored(now: Timestamp) -> UInt64 {
        switch kind {
        case .never: 0
        case .at(let time): max(1, time.milliseconds)
        case .after(let duration): max(1, (now + duration).milliseconds)
        }
    }
}

extension Expiry {
    /// That of a record: milliseconds since 1970; 0 for never.
    init(stored: UInt64) {
        self = stored == 0 ? .never : .at(Timestamp(milliseconds: stored))
    }
}
