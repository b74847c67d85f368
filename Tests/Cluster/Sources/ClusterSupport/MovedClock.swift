import Foundation
public import KeyValueStore
import Synchronization

/// The system's time, and what a test adds.
public final class MovedClock: Sendable {
    private let state = Mutex((difference: Duration.zero, moves: 0))

    /// Creates a clock with the system's time.
    public init() {}

    /// The time.
    public var now: Timestamp { reading.time }

    /// The time, and how often the clock was moved before.
    public var reading: (time: Timestamp, moves: Int) {
        let (difference, moves) = state.withLock { $0 }
        return (Timestamp(milliseconds: UInt64(Date().timeIntervalSince1970 * 1_000)) + difference, moves)
    }

    /// Changes the difference to the system's time.
    public func move(_ change: (inout Duration) -> Void) {
        state.withLock { state in
            change(&state.difference)
            state.moves += 1
        }
    }
}
