internal import HeartwoodFileSystem
internal import Synchronization

/// Where tasks and threads wait until a sequence number is reached.
///
/// The one place of the engine where they do so for a commit. Unsafe continuations: the checked form is slower from
/// 256 tasks on. What makes it sound: a sleeper is either resumed at once by `add`, or put into `waiters`, whose
/// elements are taken out, under the lock, by exactly one `open` or `fail`, and resumed by it; a gate that has
/// failed lets nobody wait.
final class SequenceGate: Sendable {
    /// What a waiter gets.
    enum Outcome: Sendable {
        /// The number that it waited for.
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

    /// Whether `sequence` is reached already. Takes no lock.
    func isReached(_ sequence: SequenceNumber) -> Bool { reached.load(ordering: .acquiring) >= sequence }

    /// Returns once `sequence` is reached.
    ///
    /// - Throws: What the gate failed with, if it fails before.
    nonisolated(nonsending) func wait(for sequence: SequenceNumber) async throws(StoreError) {
        if isReached(sequence) { return }
        let outcome = await Sleeper.suspend { sleeper in
            if let outcome = add((sequence, sleeper)) { sleeper.resume(returning: outcome) }
        }
        _ = try outcome.get()
    }

    /// The same for a thread, which is blocked meanwhile.
    func block(until sequence: SequenceNumber) throws(StoreError) {
        if isReached(sequence) { return }
        let outcome = Sleeper.block { sleeper in
            if let outcome = add((sequence, sleeper)) { sleeper.resume(returning: outcome) }
        }
        _ = try outcome.get()
    }

    /// Lets one more wait; returns what it gets where it needn't.
    private func add(_ waiter: Waiter) -> Outcome? {
        state.withLock { state in
            if reached.load(ordering: .relaxed) >= waiter.sequence { return .reached(waiter.sequence) }
            if let failure = state.failure { return .failed(failure) }
            state.waiters.append(waiter)
            return nil
        }
    }

    /// How many wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// `sequence` is reached: resumes everybody who waits for it or less.
    func open(to sequence: SequenceNumber) {
        var ready = state.withLock { state -> [Waiter] in
            guard sequence > reached.load(ordering: .relaxed) else { return [] }
            reached.store(sequence, ordering: .releasing)
            if state.waiters.isEmpty { return [] }
            // Nearly always all of them are ready: take the array as it is, and put back the few that aren't.
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

    /// Nothing more will be reached: everybody who waits, now or later, gets this error.
    func fail(_ error: StoreError) {
        let waiters = state.withLock { state -> [Waiter] in
            if state.failure == nil { state.failure = error }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.sleeper.resume(returning: .failed(error)) }
    }
}
