internal import CHeartwood
internal import HeartwoodFileSystem

/// The executor of a store: who holds its lock is on the actor.
///
/// The actor's own work takes less than a microsecond and never waits for anything. To go through a scheduler for it
/// costs as much again when nobody else is there, and several times as much when somebody is; so a writer takes the lock
/// and is on the actor then and there, without being suspended. Measured on 2 cores, `.buffered` puts: eight
/// tasks together from 466,000 a second through an intake and the scheduler to 1,100,000 and more, one task from 690,000 to
/// 1,100,000 and more (both with the record encoded in place and the leaf asked for in time).
///
/// The invariant under `@unchecked Sendable`: the mutex lives as long as this does, and never moves.
final class LockExecutor: SerialExecutor, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<heartwood_mutex>
    /// The number of the thread that holds the lock, 0: none; on the mutex's cache line, which its holder has anyway.
    private let holder: UnsafeMutableRawPointer

    /// Attempts before a thread goes to sleep: about as long as the lock is held. To sleep and be woken costs some ten
    /// times as much.
    private static let spins = 64

    init() {
        let size = MemoryLayout<heartwood_mutex>.size
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size + 16, alignment: 64)
        mutex = memory.initializeMemory(as: heartwood_mutex.self, repeating: heartwood_mutex(), count: 1)
        holder = memory + ((size + 7) & ~7)
        Shared.store64(0, holder)
        let error = heartwood_mutex_init(mutex)
        precondition(error == 0, "a mutex can't be made: error \(error)")
    }

    deinit {
        heartwood_mutex_destroy(mutex)
        UnsafeMutableRawPointer(mutex).deallocate()
    }

    /// Calls `body` on the actor. `body` must be quick, and must not wait for anything.
    ///
    /// A thread that is on the actor already stays there: a method that a user isolates to the store may write.
    @inline(__always)
    func run<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        if !heartwood_mutex_try_lock(mutex), !lockContended() { return try body() }
        Shared.store64(UInt64(heartwood_thread_number()), holder)
        defer {
            Shared.store64(0, holder)
            heartwood_mutex_unlock(mutex)
        }
        return try body()
    }

    /// Takes the lock; false where this thread has it.
    @inline(never)
    private func lockContended() -> Bool {
        if isHeld { return false }
        for _ in 0..<Self.spins {
            heartwood_relax()
            if heartwood_mutex_try_lock(mutex) { return true }
        }
        heartwood_mutex_lock(mutex)
        return true
    }

    /// Whether this thread is on the actor.
    var isHeld: Bool { Shared.load64(holder) == UInt64(heartwood_thread_number()) }

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
        precondition(isHeld, "a store's actor was entered without its lock")
    }

    @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
    func isIsolatingCurrentContext() -> Bool? { isHeld }
}
