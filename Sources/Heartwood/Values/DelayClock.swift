internal import Synchronization

/// The clock that measures the log writer's delays: the system's, or one that a test moves. With the latter, the log
/// writer acts on its own only when the test moves the clock.
package enum DelayClock: Sendable {
    case system
    case manual(ManualDelays)

    /// Nanoseconds; never decreases.
    func now() -> UInt64 {
        switch self {
        case .system: monotonicNanoseconds()
        case .manual(let delays): delays.nanoseconds
        }
    }

    /// How long to sleep until a deadline; nil to sleep until another thread wakes the sleeper.
    func timeout(until deadline: UInt64, now: UInt64) -> UInt64? {
        guard case .system = self, deadline != .max else { return nil }
        return deadline - min(deadline, now)
    }
}

/// A clock that advances only when a test moves it. See `Store.moveDelays(_:by:)`.
package final class ManualDelays: Sendable {
    private let time = Atomic<UInt64>(1)

    package init() {}

    package var nanoseconds: UInt64 { time.load(ordering: .acquiring) }

    package func move(by nanoseconds: UInt64) { time.add(nanoseconds, ordering: .acquiringAndReleasing) }
}
