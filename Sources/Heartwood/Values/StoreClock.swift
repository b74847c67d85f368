#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

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
