internal import HeartwoodConcurrency
internal import HeartwoodRepository
package import KeyValueStore

/// Waits for times of a store's clock. Tests wait without sleeping.
package protocol JobClock: Sendable {
    /// Returns at this time, or early when the task is cancelled.
    func wait(until time: Timestamp, of store: any KeyValueStore) async
}

/// Looks at the store's clock from time to time.
struct StoreJobClock: JobClock {
    func wait(until time: Timestamp, of store: any KeyValueStore) async {
        _ = await StoreTimer.wait(for: time, in: store)
    }
}

/// One alarm, which is set again only for an earlier time: most times pass without being waited for.
final class WorkerTimer: Sendable {
    private struct State {
        var time: Timestamp?
        var task: Task<Void, Never>?
    }

    private let store: any KeyValueStore
    private let clock: any JobClock
    private let alarm: @Sendable () -> Void
    private let state = Locked(State())

    init(_ store: any KeyValueStore, _ clock: any JobClock, _ alarm: @escaping @Sendable () -> Void) {
        (self.store, self.clock, self.alarm) = (store, clock, alarm)
    }

    deinit { cancel() }

    /// Calls the alarm at this time, or earlier.
    func set(_ time: Timestamp) {
        state.withLock { state in
            if let before = state.time, before <= time { return }
            state.task?.cancel()
            state.time = time
            state.task = Task { [weak self, clock, store] in
                await clock.wait(until: time, of: store)
                if !Task.isCancelled { self?.ring(time) }
            }
        }
    }

    private func ring(_ time: Timestamp) {
        let isSet = state.withLock { state in
            guard state.time == time else { return false }
            (state.time, state.task) = (nil, nil)
            return true
        }
        if isSet { alarm() }
    }

    func cancel() {
        state.withLock { state in
            state.task?.cancel()
            (state.time, state.task) = (nil, nil)
        }
    }
}
