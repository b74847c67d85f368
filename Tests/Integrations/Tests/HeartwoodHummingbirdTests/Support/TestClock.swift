import Heartwood
import Synchronization

/// A time that a test sets: the store's clock, and by ``TestClock/ticking`` that of Hummingbird's driver.
final class TestClock: StoreClock {
    private let milliseconds = Atomic<UInt64>(1_700_000_000_500)

    /// The same time, as a clock of the standard library.
    var ticking: TickingClock { TickingClock(clock: self) }

    func now() -> Timestamp { Timestamp(milliseconds: milliseconds.load(ordering: .sequentiallyConsistent)) }

    func advance(by duration: Duration) {
        milliseconds.store((now() + duration).milliseconds, ordering: .sequentiallyConsistent)
    }
}

struct TickingClock: Clock {
    struct Instant: InstantProtocol {
        var time: Timestamp

        func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Duration {
            .milliseconds(Int64(other.time.milliseconds) - Int64(time.milliseconds))
        }
        static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    let clock: TestClock

    var now: Instant { Instant(time: clock.now()) }
    var minimumResolution: Duration { .milliseconds(1) }

    /// The drivers under test only read the time.
    func sleep(until deadline: Instant, tolerance: Duration?) async throws { throw CancellationError() }
}
