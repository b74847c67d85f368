internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodTesting

/// A state that is held, and what it must show.
struct HeldState {
    let snapshot: ReadView
    let state: Chain.State
    /// The wall clock when it was taken.
    let clock: UInt64
}

/// Stops the compactor's thread before one of its calls, until the run has done something else.
final class CompactionPause: Sendable {
    private struct State {
        var callsLeft = 0
        var isArmed = false
        var isStopped = false
        var isAwaited = false
        /// The thread that compacts.
        var thread: UInt?
    }

    private let state = Locked(State())

    /// Whether the run's task waits for compaction, and for nothing else.
    var isAwaited: Bool { state.withLock { $0.isAwaited } }

    /// Compaction is to stop before its call of this number.
    func arm(_ call: Int) { state.withLock { $0 = State(callsLeft: call, isArmed: true, isAwaited: true) } }

    /// Waits for compaction to stop, or to end; whether it has stopped. Others may make calls meanwhile.
    func wait(for ended: () -> Bool) async -> Bool {
        while true {
            if state.withLock({ $0.isStopped }) {
                state.withLock { $0.isAwaited = false }
                return true
            }
            if ended() { return false }
            await Task.yield()
        }
    }

    /// Compaction goes on.
    func release() {
        state.withLock { state in
            state.isArmed = false
            state.isStopped = false
            state.isAwaited = true
        }
    }

    func disarm() { state.withLock { $0 = State() } }

    /// On the thread that makes a call, before it.
    func meet(_ operation: FileSystemError.Operation, _ path: String) {
        let thread = currentThreadNumber()
        let stops = state.withLock { state in
            // It is the compactor's who opens a new snapshot.
            if operation == .open, path.hasSuffix(".snapshot.tmp") { state.thread = thread }
            guard state.isArmed, !state.isStopped, state.thread == thread else { return false }
            state.callsLeft -= 1
            if state.callsLeft < 0 { state.isStopped = true }
            return state.isStopped
        }
        if stops { spin { state.withLock { !$0.isStopped } } }
    }
}

/// Compaction in a run.
extension WorkRun {
    func compact(pauseAt call: Int, _ steps: [WorkStep]) async throws {
        let outcome = try await compact(pausingAt: call) {
            for step in steps where self.store!.state != .failed { try await self.perform(step) }
        }
        settle()
        switch outcome {
        case .success(let report):
            if report.heldFiles > 0, held.isEmpty, !hasPending {
                throw Violation("files are held, and nobody reads them")
            }
        case .failure(let error):
            guard bearsFaults, let error = error as? StoreError else { throw error }
            guard Self.isOfEnvironment(error.code) || error.code == .failed else {
                throw Violation("compaction failed with \(error)")
            }
        }
        if store!.state == .failed { return try await recover() }
        try await readAll()
        try checkHeld()
    }

    /// Compacts, and calls `body` in the midst of it. A store that fails meanwhile is opened anew only afterwards, when
    /// nobody has it any more.
    private func compact(
        pausingAt call: Int, _ body: () async throws -> Void
    ) async throws -> Result<CompactionReport, any Error> {
        pause.arm(call)
        isCompacting = true
        defer {
            pause.disarm()
            isCompacting = false
        }
        let outcome = Locked<Result<CompactionReport, any Error>?>(nil)
        let task = Task { [store] in
            do {
                let report = try await store!.compact()
                outcome.withLock { $0 = .success(report) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
        }
        var failure: (any Error)?
        if await pause.wait(for: { outcome.withLock { $0 != nil } }) {
            do { try await body() } catch { failure = error }
            pause.release()
        }
        await task.value
        if let failure { throw failure }
        return outcome.withLock { $0! }
    }

    /// Whether writes are under way.
    private var hasPending: Bool { store!.statistics.visibleSequence < store!.statistics.lastSequence }

    func hold() {
        guard let snapshot = try? store!.readView() else { return }
        held.append(HeldState(snapshot: snapshot, state: current, clock: clock.now().milliseconds))
    }

    func release() throws {
        guard !held.isEmpty else { return }
        try checkHeld()
        held.removeFirst()
        letWriterGoOn { $0.settleCompaction() }
    }

    /// Every held state shows what it showed when it was taken.
    private func checkHeld() throws {
        for state in held {
            let visible = state.state.filter { $0.value.expires == 0 || $0.value.expires > state.clock }
            for key in state.state.keys.sorted() {
                let entry: Entry?
                do throws(StoreError) {
                    entry = try state.snapshot.entry(key)
                } catch {
                    guard bearsFaults, Self.isOfEnvironment(error.code) else {
                        throw Violation("a held state can't read \(key): \(error)")
                    }
                    continue
                }
                guard let expected = visible[key] else {
                    guard entry == nil else { throw Violation("a held state shows \(key), which wasn't there") }
                    continue
                }
                guard let entry, expected.value.matches(entry.value), entry.sequence == expected.sequence else {
                    throw Violation("a held state doesn't show \(key) as it was")
                }
            }
            let count = try state.snapshot.keys().reduce(0) { count, _ in count + 1 }
            guard count == visible.count else {
                throw Violation("a held state shows \(count) keys, and there were \(visible.count)")
            }
        }
    }
}
