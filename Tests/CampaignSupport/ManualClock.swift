package import Heartwood
internal import Synchronization

/// A clock that only moves when it is set.
package final class ManualClock: StoreClock {
    private let milliseconds: Atomic<UInt64>

    package init(milliseconds: UInt64) { self.milliseconds = Atomic(milliseconds) }

    package func now() -> Timestamp { Timestamp(milliseconds: milliseconds.load(ordering: .acquiring)) }

    package func set(_ milliseconds: UInt64) { self.milliseconds.store(milliseconds, ordering: .releasing) }
}
