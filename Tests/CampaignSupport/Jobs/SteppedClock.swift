internal import Heartwood
package import KeyValueStore
internal import Synchronization

#if CLUSTER
// Tests/Cluster compiles this file in another package, which sees the package's names only so.
@testable import HeartwoodJobs
#else
internal import HeartwoodJobs
#endif

/// Clocks that only their user moves, for a store and for the workers that wait for its times.
package final class SteppedClock: StoreClock, JobClock {
    private struct Waiter {
        var time: Timestamp
        var store: any KeyValueStore
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now: Timestamp
        var elapsed = Duration.seconds(1_000)
        var waiting: [Int: Waiter] = [:]
        var next = 0
    }

    private let state: Mutex<State>

    package init(milliseconds: UInt64 = 1_700_000_000_000) {
        state = Mutex(State(now: Timestamp(milliseconds: milliseconds)))
    }

    package func now() -> Timestamp { state.withLock { $0.now } }

    package func monotonic() -> Duration { state.withLock { $0.elapsed } }

    /// Lets time pass.
    package func advance(by duration: Duration) {
        state.withLock { state in
            state.now = state.now + duration
            state.elapsed += duration
        }
        wake()
    }

    /// Sets the wall clock forward or back. No time passes.
    package func jump(by duration: Duration) {
        state.withLock { $0.now = $0.now + duration }
        wake()
    }

    /// The waiters read the clock again.
    private func wake() {
        for (number, waiter) in state.withLock({ $0.waiting }) where waiter.store.now >= waiter.time { end(number) }
    }

    private func end(_ number: Int) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume()
    }

    package func wait(until time: Timestamp, of store: any KeyValueStore) async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(time: time, store: store, continuation: continuation)
                state.withLock { $0.waiting[number] = waiter }
                if store.now >= time || Task.isCancelled { end(number) }
            }
        } onCancel: {
            end(number)
        }
    }
}
