#if Etcd
import GRPCCore
import Synchronization

/// Cancels tasks that take too long, with one timer for all of them: a timer for each call would cost more than the
/// call, and stay after it until it is over.
final class TimeOuts: Sendable {
    private struct Entry {
        var end: ContinuousClock.Instant
        var cancel: @Sendable () -> Void
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var next = 0
        var isRunning = false
    }

    private let state = Mutex(State())
    /// How late a task may be cancelled.
    private static let grain: Duration = .milliseconds(50)

    /// The result of a new task, which is cancelled after a time, or with this one. What ends because of the time fails
    /// with a ``CallFailure`` that says so.
    func result<R: Sendable>(
        within time: Duration, of body: @escaping @Sendable () async throws -> R
    ) async -> Result<R, any Error> {
        let task = Task { try await body() }
        let end = ContinuousClock.now + time
        let number = add(Entry(end: end) { task.cancel() })
        defer { _ = state.withLock { $0.entries.removeValue(forKey: number) } }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        guard case .failure(let error) = result, ContinuousClock.now >= end, !Task.isCancelled,
            error is CancellationError || (error as? RPCError)?.code == .cancelled
        else { return result }
        return .failure(CallFailure(.unanswered, "one of them took longer than \(time)"))
    }

    private func add(_ entry: Entry) -> Int {
        let (number, isFirst) = state.withLock { state in
            state.next += 1
            state.entries[state.next] = entry
            defer { state.isRunning = true }
            return (state.next, !state.isRunning)
        }
        if isFirst { Task { await run() } }
        return number
    }

    /// Runs while there are tasks.
    private func run() async {
        while true {
            try? await Task.sleep(for: Self.grain)
            let now = ContinuousClock.now
            let (late, isOver) = state.withLock { state in
                let late = state.entries.values.filter { $0.end <= now }
                state.isRunning = !state.entries.isEmpty
                return (late, !state.isRunning)
            }
            for entry in late { entry.cancel() }
            if isOver { return }
        }
    }
}
#endif
