internal import HeartwoodConcurrency

/// The state of one running observation: whether it has to read again, and who waits for that. No I/O.
///
/// The hub touches it, from its own task; the observation waits, reads, and tells up to where it has seen. Changes that
/// come while it doesn't wait are only noted, so a slow consumer costs nothing and gets the newest result.
final class Watcher: Sendable {
    private struct State {
        var watch: Watch
        /// Whether it reads again whatever it has seen.
        var isForced = true
        /// The newest change that touches it, or a later one. Nil if it has seen all of them.
        var touched: ChangePosition?
        /// A view may have been made, so a change counts although others have touched it.
        var isReading = false
        /// Up to where it has seen.
        var seen: ChangePosition?
        var ending: Ending?
        var waiting: CheckedContinuation<Void, Never>?

        var isDue: Bool { isForced || touched != nil || ending != nil }
    }

    /// Why nothing will touch it any longer.
    enum Ending: Sendable {
        case closed
        case failed(StoreError)
    }

    private let state: Locked<State>

    init(_ watch: Watch) { state = Locked(State(watch: watch)) }

    /// What it depends on.
    var watch: Watch { state.withLock { $0.watch } }

    func setWatch(_ watch: Watch) { state.withLock { $0.watch = watch } }

    /// Whether a change has to be compared with the watch: it doesn't if the watcher reads after it anyway.
    var isSensitive: Bool { state.withLock { $0.isReading || !$0.isDue } }

    /// Whether it waits, or would.
    var isIdle: Bool { state.withLock { !$0.isDue && !$0.isReading } }

    /// Up to where it has seen.
    var seen: ChangePosition? { state.withLock { $0.seen } }

    /// Whether `wait` returns at once.
    var isDue: Bool { state.withLock { $0.isDue } }

    // MARK: - Called by the hub

    /// A change that it depends on.
    func touch(_ position: ChangePosition) {
        wake {
            if let seen = $0.seen, seen.store == position.store, position.sequence <= seen.sequence { return }
            $0.touched = position
        }
    }

    /// Anything may have changed: what it has seen doesn't count any longer.
    func force() {
        wake {
            $0.isForced = true
            $0.seen = nil
        }
    }

    func end(_ ending: Ending) {
        wake { $0.ending = ending }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            change(&state)
            return state.isDue ? state.waiting.take() : nil
        }
        waiting?.resume()
    }

    // MARK: - Called by the observation

    /// Returns when it has to read: at once, or after a change. False if the store was closed.
    ///
    /// - Throws: `.cancelled`; what the feed threw.
    nonisolated(nonsending) func wait() async throws(StoreError) -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock {
                    if $0.isDue || Task.isCancelled { return true }
                    $0.waiting = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.take() }?.resume()
        }
        if Task.isCancelled { throw .observingCancelled }
        switch state.withLock({ $0.ending }) {
        case nil: return true
        case .closed: return false
        case .failed(let error): throw error
        }
    }

    /// Call it before making the view that is read.
    ///
    /// - Parameter latest: The newest change that was compared; it may be one that `isSensitive` left out.
    func begin(after latest: ChangePosition?) {
        state.withLock {
            if $0.isForced || $0.touched != nil { $0.touched = latest }
            ($0.isForced, $0.isReading) = (false, true)
        }
    }

    /// Call it after reading a view of this moment. If the view is older than what has touched the watcher, `wait`
    /// returns at once.
    ///
    /// - Returns: Whether it has seen everything until now.
    func finish(seeing position: ChangePosition) -> Bool {
        state.withLock {
            $0.isReading = false
            // Forced while it read: perhaps the store was replaced.
            if $0.isForced { return false }
            $0.seen = position
            // The numbers of two stores have no order. The feed tells when a store was replaced.
            if let touched = $0.touched, touched.store != position.store || touched.sequence <= position.sequence {
                $0.touched = nil
            }
            return $0.touched == nil
        }
    }
}

extension StoreError {
    static let observingCancelled = StoreError(
        .cancelled, "the task was cancelled while it observed: observe again to continue")
}
