internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodTesting

/// A read view, and what it must show.
struct PinnedView {
    let view: ReadView
    let state: Chain.State
    /// The store's time when the view was taken.
    let time: UInt64
}

/// Stops the compaction thread before one of its calls, until the run has done something else.
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

    /// Whether the run's task waits only for the compaction.
    var isAwaited: Bool { state.withLock { $0.isAwaited } }

    /// Makes the compaction stop before its call of this number.
    func arm(_ call: Int) { state.withLock { $0 = State(callsLeft: call, isArmed: true, isAwaited: true) } }

    /// Waits until the compaction stops or ends. Returns whether it has stopped. Other threads may make calls
    /// meanwhile.
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

    /// Lets the compaction continue.
    func release() {
        state.withLock { state in
            state.isArmed = false
            state.isStopped = false
            state.isAwaited = true
        }
    }

    func disarm() { state.withLock { $0 = State() } }

    /// Called before each call, on its thread.
    func willCall(_ operation: FileSystemError.Operation, _ path: String) {
        let thread = currentThreadNumber()
        let stops = state.withLock { state in
            // Only the compaction thread opens a new snapshot.
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
        // The compactor answers before it removes what it has replaced.
        letWriterContinue {
            $0.settle()
            $0.settleCompaction()
        }
        switch outcome {
        case .success(let report):
            try expect(report.pinnedFiles == 0 || !views.isEmpty || hasPending, "files are held without a reader")
        case .failure(let error):
            guard toleratesFaults, let error = error as? StoreError else { throw error }
            try expect(Self.isOfEnvironment(error.code) || error.code == .failed, "compaction failed with \(error)")
        }
        if store!.state == .failed { return try await recover() }
        try await readAll()
        try checkReadViews()
    }

    /// Compacts, and calls `body` during it. A store that fails meanwhile is opened again only afterwards, when nothing
    /// refers to it.
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

    /// Whether writes are in progress.
    private var hasPending: Bool { store!.statistics.visibleSequence < store!.statistics.lastSequence }

    func takeReadView() {
        guard let view = try? store!.readView() else { return }
        views.append(PinnedView(view: view, state: current, time: time.now))
    }

    func releaseReadView() throws {
        guard !views.isEmpty else { return }
        try checkReadViews()
        views.removeFirst()
        letWriterContinue { $0.settleCompaction() }
    }

    /// Checks that every read view shows the same as when it was taken.
    private func checkReadViews() throws {
        for state in views {
            let visible = state.state.filter { $0.value.expires == 0 || $0.value.expires > state.time }
            for key in state.state.keys.sorted() {
                let entry: Entry?
                do throws(StoreError) {
                    entry = try state.view.entry(key)
                } catch {
                    try expect(
                        toleratesFaults && Self.isOfEnvironment(error.code), "a read view can't read \(key): \(error)")
                    continue
                }
                guard let expected = visible[key] else {
                    try expect(entry == nil, "a read view shows \(key), which wasn't there")
                    continue
                }
                guard let entry, expected.value.matches(entry.value), entry.sequence == expected.sequence else {
                    throw Violation("a read view doesn't show \(key) as it was")
                }
            }
            let count = try state.view.scan().keys.reduce(0) { count, _ in count + 1 }
            try expect(count == visible.count, "a read view shows \(count) keys, and there were \(visible.count)")
        }
    }
}
