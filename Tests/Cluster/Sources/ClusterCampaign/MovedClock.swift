import Foundation
import KeyValueStore
import Synchronization

/// A client's clock, which a test moves.
final class MovedClock: Sendable {
    private let state = Mutex((seconds: 0, moves: 0))

    var now: Timestamp { reading.time }

    /// The time, and how often the clock was moved before.
    var reading: (time: Timestamp, moves: Int) {
        let (seconds, moves) = state.withLock { $0 }
        let right = Timestamp(milliseconds: UInt64(Date().timeIntervalSince1970 * 1_000))
        return (right + .seconds(seconds), moves)
    }

    /// Moves it to so many seconds after the right time.
    func move(to seconds: Int) { state.withLock { $0 = (seconds, $0.moves + 1) } }
}
