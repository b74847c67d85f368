internal import HeartwoodFileSystem
internal import Synchronization

/// Where tasks wait until a sequence number is reached.
///
/// The one place of the engine that suspends tasks for a commit. Unsafe continuations: the checked form is slower from
/// 256 tasks on. What makes it sound: a continuation is either resumed at once by `wait`, or put into `waiters`, whose
/// elements are taken out, under the lock, by exactly one `open`, `fail` or `shut`, and resumed by it; a gate that has
/// failed lets nobody wait.
final class SequenceGate: Sendable {
    private typealias Waiter = (sequence: SequenceNumber, continuation: UnsafeContinuation<StoreError?, Never>)
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

    /// Returns once `sequence` is reached.
    ///
    /// - Throws: What the gate failed with, if it fails before.
    func wait(for sequence: SequenceNumber) async throws(StoreError) {
        if reached.load(ordering: .acquiring) >= sequence { return }
        let failure = await withUnsafeContinuation { (continuation: UnsafeContinuation<StoreError?, Never>) in
            enum Outcome { case waits, passes, fails(StoreError) }
            let outcome = state.withLock { state -> Outcome in
                if reached.load(ordering: .relaxed) >= sequence { return .passes }
                if let failure = state.failure { return .fails(failure) }
                state.waiters.append((sequence, continuation))
                return .waits
            }
            switch outcome {
            case .waits: break
            case .passes: continuation.resume(returning: nil)
            case .fails(let failure): continuation.resume(returning: failure)
            }
        }
        if let failure { throw failure }
    }

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
        for waiter in ready { waiter.continuation.resume(returning: nil) }
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
        for waiter in waiters { waiter.continuation.resume(returning: error) }
    }
}
