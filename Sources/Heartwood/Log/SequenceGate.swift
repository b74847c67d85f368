internal import HeartwoodConcurrency
internal import Synchronization

/// A sequence gate: tasks and threads wait here until a sequence number is reached. All waiting for commits happens
/// here.
///
/// It uses unsafe continuations, because the checked ones are slower from 256 tasks on. This is sound: `add` either
/// resumes a sleeper immediately or puts it into `waiters`. Exactly one `open` or `fail` takes it out, under the lock,
/// and resumes it. After a failure no sleeper is added.
final class SequenceGate: Sendable {
    /// The result of waiting.
    enum Outcome: Sendable {
        /// The sequence number that the caller waited for.
        case reached(SequenceNumber)
        /// Why it won't be reached.
        case failed(StoreError)

        func get() throws(StoreError) -> SequenceNumber {
            switch self {
            case .reached(let sequence): return sequence
            case .failed(let error): throw error
            }
        }
    }
    typealias Waiter = (sequence: SequenceNumber, sleeper: Sleeper<Outcome>)

    private struct State {
        var failure: StoreError?
        var waiters: [Waiter] = []
        var spare: [Waiter] = []
    }

    private let reached: Atomic<UInt64>
    private let state = Locked(State())

    init(at sequence: SequenceNumber) {
        reached = Atomic(sequence)
    }

    /// Whether `sequence` is already reached. Takes no lock.
    func isReached(_ sequence: SequenceNumber) -> Bool { reached.load(ordering: .acquiring) >= sequence }

    /// Waits until `sequence` is reached.
    ///
    /// - Throws: The failure of the gate, if it fails first.
    nonisolated(nonsending) func wait(for sequence: SequenceNumber) async throws(StoreError) {
        if isReached(sequence) { return }
        let outcome = await Sleeper.suspend { sleeper in
            if let outcome = add((sequence, sleeper)) { sleeper.resume(returning: outcome) }
        }
        _ = try outcome.get()
    }

    /// The same for a thread, which it blocks.
    func block(until sequence: SequenceNumber) throws(StoreError) {
        if isReached(sequence) { return }
        let outcome = Sleeper.block { sleeper in
            if let outcome = add((sequence, sleeper)) { sleeper.resume(returning: outcome) }
        }
        _ = try outcome.get()
    }

    /// Adds a waiter, or returns its outcome if it doesn't have to wait.
    private func add(_ waiter: Waiter) -> Outcome? {
        state.withLock { state in
            if reached.load(ordering: .relaxed) >= waiter.sequence { return .reached(waiter.sequence) }
            if let failure = state.failure { return .failed(failure) }
            state.waiters.append(waiter)
            return nil
        }
    }

    /// The number of waiters.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Notes that `sequence` is reached, and resumes all that wait for it or for a lower number.
    func open(to sequence: SequenceNumber) {
        var ready = state.withLock { state -> [Waiter] in
            guard sequence > reached.load(ordering: .relaxed) else { return [] }
            reached.store(sequence, ordering: .releasing)
            if state.waiters.isEmpty { return [] }
            // Usually all of them are ready: take the whole array, and put back the few that aren't.
            let all = state.waiters
            state.waiters = state.spare
            state.spare = []
            if all.allSatisfy({ $0.sequence <= sequence }) { return all }
            state.waiters.append(contentsOf: all.lazy.filter { $0.sequence > sequence })
            return all.filter { $0.sequence <= sequence }
        }
        guard !ready.isEmpty else { return }
        for waiter in ready { waiter.sleeper.resume(returning: .reached(waiter.sequence)) }
        ready.removeAll(keepingCapacity: true)
        state.withLock { [ready] in if $0.spare.capacity == 0 { $0.spare = ready } }
    }

    /// Notes that nothing more will be reached. All waiters get this error, now and later.
    func fail(_ error: StoreError) {
        let waiters = state.withLock { state -> [Waiter] in
            if state.failure == nil { state.failure = error }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.sleeper.resume(returning: .failed(error)) }
    }
}
