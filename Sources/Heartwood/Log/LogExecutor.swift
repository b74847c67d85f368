internal import CHeartwood
internal import HeartwoodFileSystem

/// The executor of the log's actor: a lock, with the state that it guards. Who holds the lock is on the actor.
///
/// The actor's own work takes less than a microsecond and never waits for anything. To go through a scheduler for it
/// costs as much again when nobody else is there, and several times as much when somebody is; so a writer takes the lock
/// and is on the actor then and there, without being suspended. The log writer's thread, the compactor's and those that
/// read counters enter by the same lock. Measured on 2 cores, `.buffered` puts: eight tasks together from 466,000 a second
/// through the scheduler to 1,100,000 and more, one task from 690,000 to 1,100,000 and more.
///
/// The invariant under `@unchecked Sendable`: the state is touched with the lock held only, and both live as long as this
/// does, at addresses that never change.
final class LogExecutor: SerialExecutor, @unchecked Sendable {
    typealias State = Log.State

    private let lock: ConditionLock<State>
    /// The lock's own, here because what is generic and of another module is called unspecialised.
    private let mutex: UnsafeMutablePointer<heartwood_mutex>
    private let state: UnsafeMutablePointer<State>
    /// The number of the thread that took the lock by ``run(_:)``, 0: none.
    private let holder: UnsafeMutableRawPointer

    /// Attempts before a thread goes to sleep: about as long as the lock is held. To sleep and be woken costs some ten
    /// times as much.
    private static let spins = 64

    /// - Parameter index: Its lock becomes the executor's, so that a write takes one.
    init(_ initial: consuming sending State, sharing index: Locked<IndexState>) {
        lock = ConditionLock(initial, sharing: index)
        (mutex, state) = lock.parts
        holder = .allocate(byteCount: 8, alignment: 8)
        Shared.store64(0, holder)
    }

    deinit { holder.deallocate() }

    /// Calls `body` on the actor. `body` must be quick, and must not wait for anything.
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
        assert(isHeld, "the log's state was touched without its lock")
        return state
    }

    /// Calls `body` with the state. For the threads of the engine, which are on no actor.
    @inline(__always)
    func withState<R: ~Copyable, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        try lock.withState(body)
    }

    /// The same, for those who wait for a change.
    @inline(__always)
    func withLock<R: ~Copyable, E: Error>(
        _ body: (inout ConditionLock<State>.Held) throws(E) -> R
    ) throws(E) -> R {
        try lock.withLock(body)
    }

    /// Wakes one of the threads that wait for a change.
    func signal() { lock.signal() }

    /// Whether this thread is on the actor.
    private var isHeld: Bool { Shared.load64(holder) == UInt64(heartwood_thread_number()) }

    // MARK: - SerialExecutor

    /// What was called on the actor in the usual way, with `await`, which nothing in the engine is: on another thread,
    /// because this one may hold the lock.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        BlockingPool.start { [self] in
            run { job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    func checkIsolated() {
        precondition(isHeld, "the log's actor was entered without its lock")
    }

    @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
    func isIsolatingCurrentContext() -> Bool? { isHeld }
}
