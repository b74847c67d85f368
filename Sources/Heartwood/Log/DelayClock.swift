internal import Synchronization

/// The clock that the log writer's delays go by: the system's, or one that a test moves, so that what the writer does on
/// its own happens when the test says so, and at no other time.
package enum DelayClock: Sendable {
    case system
    case manual(ManualDelays)

    /// Nanoseconds; never goes back.
    func now() -> UInt64 {
        switch self {
        case .system: monotonicNanoseconds()
        case .manual(let delays): delays.nanoseconds
        }
    }

    /// How long to sleep for a deadline; nil for until somebody wakes the sleeper.
    func timeout(until deadline: UInt64, now: UInt64) -> UInt64? {
        guard case .system = self, deadline != .max else { return nil }
        return deadline - min(deadline, now)
    }
}

/// A clock that stands still until it is moved. See `Store.moveDelays(_:by:)`.
package final class ManualDelays: Sendable {
    private let time = Atomic<UInt64>(1)

    package init() {}

    package var nanoseconds: UInt64 { time.load(ordering: .acquiring) }

    package func move(by nanoseconds: UInt64) { time.add(nanoseconds, ordering: .acquiringAndReleasing) }
}
