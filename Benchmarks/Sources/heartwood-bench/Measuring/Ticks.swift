internal import Foundation

/// Times of the monotonic clock, in nanoseconds. Reading it takes about 25 ns.
enum Ticks {
    @inline(__always)
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Blocks the thread for the time between two times, and until the system wakes it, about 60 µs later.
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
