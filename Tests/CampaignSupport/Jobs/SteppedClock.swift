internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodJobs
package import KeyValueStore

/// A clock that only its user moves, for a store and for the workers that wait for its times.
package final class SteppedClock: StoreClock, JobClock {
    private struct State {
        var now: Timestamp
        var waiting: [Int: (time: Timestamp, continuation: CheckedContinuation<Void, Never>)] = [:]
        var next = 0
    }

    private let state: Locked<State>

    package init(milliseconds: UInt64 = 1_700_000_000_000) {
        state = Locked(State(now: Timestamp(milliseconds: milliseconds)))
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
