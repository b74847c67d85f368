internal import CHeartwood
internal import HeartwoodConcurrency
internal import HeartwoodFormat

/// The executor of the log's actor: a lock. The thread that holds it is on the actor.
///
/// The actor's work takes less than a microsecond and never waits. A scheduler would double its cost without
/// contention, and multiply it with contention. So a caller takes the lock and is on the actor, without suspension: on
/// 2 cores, eight tasks with `.buffered` puts reach 1,100,000 a second, and 466,000 through the scheduler.
final class LogExecutor: SerialExecutor {
    private let lock: ConditionLock<Void>
    /// The lock's mutex. It is here because generic functions of another module are called unspecialised.
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<heartwood_mutex>

    /// Attempts before a thread sleeps: about as long as the lock is held. Sleeping and waking costs about ten times as
    /// much.
    private static let spins = 64

    /// - Parameter index: The index whose lock becomes the executor's, so that a write takes one lock.
    init(sharing index: VersionedIndex) {
        lock = index.shareLock(with: ())
        mutex = lock.mutex
    }

    @inline(__always)
    fileprivate func acquire() {
        if !heartwood_mutex_try_lock(mutex) { acquireContended() }
    }

    @inline(never)
    private func acquireContended() {
        for _ in 0..<Self.spins {
            heartwood_relax()
            if heartwood_mutex_try_lock(mutex) { return }
        }
        heartwood_mutex_lock(mutex)
    }

    @inline(__always)
    fileprivate func release() { heartwood_mutex_unlock(mutex) }

    /// Wakes one of the threads that wait for a change.
    func signal() { lock.signal() }

    /// Wakes all of them.
    func broadcast() { lock.broadcast() }

    /// Gives up the actor until another thread signals a change or the timeout ends, and takes it again. It may also
    /// return without a signal. Call it on the actor.
    fileprivate func wait(timeoutNanoseconds: UInt64?) { lock.waitUnderLock(timeoutNanoseconds: timeoutNanoseconds) }

    /// Runs what was called with `await`, on another thread: this one may be on the actor.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        BlockingPool.start { [self] in
            acquire()
            defer { release() }
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// The ways onto the actor, for all of the engine. No code that isn't isolated to it can name its state.
///
/// The compiler checks each step as code of the actor. It can't know that the thread that holds the executor's lock is
/// on the actor, and that a function that is isolated to one differs from another function in its type only. So each
/// step is cast, here and nowhere else. `assumeIsolated` does it, too, but allocates an object and checks the isolation
/// in each call: 8 % of a put.
nonisolated extension Log {
    /// Calls `body` on the actor. It must be quick, and must not wait.
    func isolated<R, E: Error>(_ body: (isolated Log) throws(E) -> R) throws(E) -> R {
        try withoutActuallyEscaping(body) { (body) throws(E) in
            let step = unsafeBitCast(IsolatedStep(body: body), to: Step<R, E>.self)
            executor.acquire()
            defer { executor.release() }
            return try step.body(self)
        }
    }

    /// Calls `body` on the actor, with its state.
    func withState<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        try withoutActuallyEscaping(body) { (body) throws(E) in
            let step = unsafeBitCast(
                IsolatedStateStep<R, E> { (log, body) throws(E) in try body(&log.state) }, to: StateStep<R, E>.self)
            executor.acquire()
            defer { executor.release() }
            return try step.body(self, body)
        }
    }

    /// Appends a single record.
    func admit(
        _ record: SingleRecord, _ durability: Durability.Level, _ preparation: VersionedIndex.Preparation
    ) throws(StoreError) -> Admission {
        let step = unsafeBitCast(
            IsolatedAppend { (log, record, durability, preparation) throws(StoreError) in
                try log.append(record, durability, preparation)
            }, to: Append.self)
        executor.acquire()
        defer { executor.release() }
        return try step.body(self, record, durability, preparation)
    }

    /// Appends a batch.
    func admit(
        _ batch: EncodedBatch, _ conditions: [Requirement], _ durability: Durability.Level, _ ticket: inout UInt64
    ) throws(StoreError) -> Admission {
        let step = unsafeBitCast(
            IsolatedBatchAppend { (log, batch, conditions, durability, ticket) throws(StoreError) in
                try log.append(batch, conditions, durability, &ticket)
            }, to: BatchAppend.self)
        executor.acquire()
        defer { executor.release() }
        return try step.body(self, batch, conditions, durability, &ticket)
    }
}

// Each step in the type that the compiler checks, and in the one that is called. In structs, because a function alone
// as a generic argument gets a thunk, which costs 1 % of a put, and on which Swift 6.3's optimiser crashes.
private struct IsolatedStep<R, E: Error> { let body: (isolated Log) throws(E) -> R }
private struct Step<R, E: Error> { let body: (Log) throws(E) -> R }

private struct IsolatedStateStep<R, E: Error> {
    let body: (isolated Log, (inout Log.State) throws(E) -> R) throws(E) -> R
}
private struct StateStep<R, E: Error> { let body: (Log, (inout Log.State) throws(E) -> R) throws(E) -> R }

private struct IsolatedAppend {
    let body:
        (isolated Log, SingleRecord, Durability.Level, VersionedIndex.Preparation) throws(StoreError) -> Log.Admission
}
private struct Append {
    let body: (Log, SingleRecord, Durability.Level, VersionedIndex.Preparation) throws(StoreError) -> Log.Admission
}

private struct IsolatedBatchAppend {
    let body:
        (isolated Log, EncodedBatch, [Requirement], Durability.Level, inout UInt64) throws(StoreError) -> Log.Admission
}
private struct BatchAppend {
    let body: (Log, EncodedBatch, [Requirement], Durability.Level, inout UInt64) throws(StoreError) -> Log.Admission
}

extension Log {
    /// Gives up the actor until its state may have changed, or until the timeout: look again.
    func waitForChange(timeoutNanoseconds: UInt64? = nil) { executor.wait(timeoutNanoseconds: timeoutNanoseconds) }
}
