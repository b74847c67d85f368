#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A moment of the monotonic clock, in nanoseconds. Reading it costs some 25 ns.
enum Ticks {
    @inline(__always)
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Blocks the thread for the time between two moments, and for as long as the system takes to wake it: some 60 µs.
    static func sleep(from now: UInt64, until moment: UInt64) {
        var time = timespec(
            tv_sec: Int((moment - now) / 1_000_000_000), tv_nsec: Int((moment - now) % 1_000_000_000))
        nanosleep(&time, nil)
    }

    /// The seconds from `start` to `end`.
    static func seconds(from start: UInt64, to end: UInt64) -> Double {
        Double(end - start) / 1e9
    }
}
