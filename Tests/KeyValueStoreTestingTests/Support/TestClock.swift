import KeyValueStore
import Synchronization

/// A clock that only a test advances.
final class TestClock: Sendable {
    private let milliseconds = Atomic<UInt64>(1_700_000_000_500)

    var now: Timestamp { Timestamp(milliseconds: milliseconds.load(ordering: .sequentiallyConsistent)) }

    func advance(by duration: Duration) {
        milliseconds.store((now + duration).milliseconds, ordering: .sequentiallyConsistent)
    }
}
