import Heartwood
import KeyValueStore
import Synchronization

/// A clock that only a test advances.
final class TestClock: StoreClock {
    private let milliseconds = Atomic<UInt64>(1_700_000_000_500)

    func now() -> Timestamp { Timestamp(milliseconds: milliseconds.load(ordering: .sequentiallyConsistent)) }

    func advance(by duration: Duration) {
        milliseconds.store((now() + duration).milliseconds, ordering: .sequentiallyConsistent)
    }
}
