internal import CHeartwood
internal import HeartwoodFileSystem

/// The executor of the log's actor: a lock, and the state that it guards. The thread that holds the lock is on the
/// actor.
///
/// The actor's work takes less than a microsecond and never waits. A scheduler would double its cost without
/// contention, and multiply it with contention. So a writer takes the lock and is on the actor, without suspension. The
/// log writer, the compactor and readers of counters take the same lock. On 2 cores, eight tasks with `.buffered` puts
/// reach 1,100,000 a second, and 466,000 through the scheduler.
///
/// The invariant that makes `@unchecked Sendable` sound: the state is accessed only with the lock held. Both exist as
/// long as this object, at addresses that never change.
final class LogExecutor: SerialExecutor, @unchecked Sendable {
    typealias State = Log.State

    private let lock: ConditionLock<State>
    /// The lock's mutex. It is here because generic functions of another module are called unspecialised.
    private let mutex: UnsafeMutablePointer<heartwood_mutex>
    private let state: UnsafeMutablePointer<State>
    /// The number of the thread that took the lock with ``run(_:)``; 0: none.
    private let holder: UnsafeMutableRawPointer

    /// Attempts before a thread sleeps: about as long as the lock is held. Sleeping and waking costs about ten times as
    /// much.
    private static let spins = 64

    /// - Parameter index: The index whose lock becomes the executor's, so that a write takes one lock.
    init(_ initial: consuming sending State, sharing index: VersionedIndex) {
        lock = index.shareLock(with: initial)
        (mutex, state) = lock.parts
        holder = .allocate(byteCount: 8, alignment: 8)
        Shared.store64(0, holder)
    }

    deinit { holder.deallocate() }

    /// Calls `body` on the actor. `body` must be quick, and must not wait.
    @inline(__always)
    func run<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        if !heartwood_mutex_try_lock(mutex) { lockContended() }
        Shared.store64(UInt64(heartwood_thread_number()), holder)
        defer {
            Shared.store64(0, holder)
            heartwood_mutex_unlock(mutex)
        }
        return try body()
    }

    @inline(never)
    private func lockContended() {
        for _ in 0..<Self.spins {
            heartwood_relax()
            if heartwood_mutex_try_lock(mutex) { return }
        }
        heartwood_mutex_lock(mutex)
    }

    /// The state, for the actor's own methods.
    @inline(__always)
    var pointer: UnsafeMutablePointer<State> {
        assert(isOnActor, "the log's state was touched without its lock")
        return state
    }

    /// Calls `body` with the state. For threads of the engine that are not on the actor.
    @inline(__always)
    func withState<R: ~Copyable, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        try lock.withState(body)
    }

    /// The same, for callers that wait for a change.
    @inline(__always)
    func withLock<R: ~Copyable, E: Error>(
        _ body: (inout ConditionLock<State>.Held) throws(E) -> R
    ) throws(E) -> R {
        try lock.withLock(body)
    }

    /// Wakes one of the threads that wait for a change.
    func signal() { lock.signal() }

    /// Whether this thread is on the actor.
    private var isOnActor: Bool { Shared.load64(holder) == UInt64(heartwood_thread_number()) }

    // MARK: - SerialExecutor

    /// Runs a job that was called on the actor with `await`. The engine makes no such call. Another thread runs the
    /// job, because this one may hold the lock.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        BlockingPool.start { [self] in
            run { job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    func checkIsolated() {
        precondition(isOnActor, "the log's actor was entered without its lock")
    }

    @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
    func isIsolatingCurrentContext() -> Bool? { isOnActor }
}
