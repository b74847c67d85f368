#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A moment of the monotonic clock, in nanoseconds. Reading it costs some 25 ns, less than half of what an instant of
/// `ContinuousClock` and its duration do: each durable put is timed by itself.
enum Ticks {
    @inline(__always)
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// The seconds that so many nanoseconds are.
    static func seconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1e9 }
}
