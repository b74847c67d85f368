#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The clocks of a store: the wall clock, which may be set, and a monotonic one, which measures how much time passes. A
/// test can pass its own.
///
/// ``Store/now`` says what a store makes of them.
public protocol StoreClock: Sendable {
    /// The time of the wall clock. It is called often, from any thread, and should not block.
    func now() -> Timestamp

    /// The time that has passed since a fixed moment, also while the machine sleeps. Setting the wall clock doesn't
    /// change it. It is called about once a millisecond, from any thread, and should not block.
    ///
    /// By default it follows ``now()``: it is enough for a clock that only moves forward.
    func monotonic() -> Duration
}

extension StoreClock {
    /// The time since 1970 by ``now()``.
    public func monotonic() -> Duration { .milliseconds(Int64(clamping: now().milliseconds)) }
}

/// The system's clocks.
public struct SystemClock: StoreClock {
    /// Creates the clock.
    public init() {}

    /// The time of the system's real-time clock.
    public func now() -> Timestamp { .system }

    /// The time since the machine was started.
    public func monotonic() -> Duration {
        #if canImport(Darwin)
        let time = Self.read(CLOCK_MONOTONIC)
        #else
        let time = Self.read(CLOCK_BOOTTIME)
        #endif
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}

/// Nanoseconds of a monotonic clock. For deadlines; never stored.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

extension Duration {
    /// The duration in nanoseconds: 0 if it is negative, `UInt64.max` if it is longer than 584 years.
    var nanoseconds: UInt64 {
        guard self > .zero else { return 0 }
        // Also because `components` traps for the longest ones.
        guard self < .seconds(UInt64.max / 1_000_000_000) else { return .max }
        let (seconds, attoseconds) = components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }
}
