import Synchronization

/// Limits a rate: a bucket holds tokens for one second, and each request takes one.
///
/// In memory, one for each client: it is asked by each request, and what it knows is worthless after a second.
final class TokenBucket: Sendable {
    private struct State {
        var tokens: Double
        var time: ContinuousClock.Instant
    }

    private let rate: Double
    private let state: Mutex<State>

    /// - Parameter rate: Requests a second; also how many may come at once.
    init(rate: Int, now: ContinuousClock.Instant = .now) {
        self.rate = Double(rate)
        state = Mutex(State(tokens: Double(rate), time: now))
    }

    /// Whether a request may be served now.
    func take(now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            let seconds = max(.zero, now - state.time) / .seconds(1)
            state.tokens = min(rate, state.tokens + seconds * rate)
            state.time = max(state.time, now)
            guard state.tokens >= 1 else { return false }
            state.tokens -= 1
            return true
        }
    }
}
