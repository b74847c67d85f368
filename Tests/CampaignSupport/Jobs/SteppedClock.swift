internal import Heartwood
package import KeyValueStore
internal import Synchronization

#if CLUSTER
// Tests/Cluster compiles this file in another package, which sees the package's names only so.
@testable import HeartwoodJobs
#else
internal import HeartwoodJobs
#endif

/// A clock that only its user moves, for a store and for the workers that wait for its times.
package final class SteppedClock: StoreClock, JobClock {
    private struct State {
        var now: Timestamp
        var waiting: [Int: (time: Timestamp, continuation: CheckedContinuation<Void, Never>)] = [:]
        var next = 0
    }

    private let state: Mutex<State>

    package init(milliseconds: UInt64 = 1_700_000_000_000) {
        state = Mutex(State(now: Timestamp(milliseconds: milliseconds)))
    }

    package func now() -> Timestamp { state.withLock { $0.now } }

    package func advance(by duration: Duration) { set(now() + duration) }

    package func set(_ time: Timestamp) {
        let woken = state.withLock { state in
            state.now = max(state.now, time)
            let now = state.now
            let due = state.waiting.filter { $0.value.time <= now }
            for key in due.keys { state.waiting[key] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    package func wait(until time: Timestamp, of store: any KeyValueStore) async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.now >= time || Task.isCancelled { return true }
                    state.waiting[number] = (time, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume()
        }
    }
}
