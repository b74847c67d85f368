package import CHeartwood

/// State that is only reached with a lock held.
///
/// It has the shape of `Synchronization.Mutex`, over a `pthread_mutex_t`: ThreadSanitizer can't see the futex under the
/// standard library's and reports races that aren't there. Not recursive: taking it again inside `withLock` is a
/// deadlock. Don't do I/O inside.
///
/// The invariant under `@unchecked Sendable`: nobody else has references into the initial state (`sending` sees to
/// that), and from then on it is only touched in `withLock`, with `mutex` held. A `body` must not let a reference to
/// something in the state get out of it, unless that something is `Sendable` itself. (The standard library has the
/// compiler check that too, by `inout sending`; but that check rejects every body that uses a raw pointer.)
package final class Locked<State>: @unchecked Sendable {
    // Both live at addresses of their own: a mutex must never move, and access through a pointer costs no exclusivity
    // check at run time.
    @usableFromInline
    nonisolated(unsafe) let mutex: UnsafeMutablePointer<heartwood_mutex>
    @usableFromInline
    nonisolated(unsafe) let state: UnsafeMutablePointer<State>

    /// Guards `initial`.
    package init(_ initial: consuming sending State) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: heartwood_mutex())
        let error = heartwood_mutex_init(mutex)
        precondition(error == 0, "a mutex can't be made: error \(error)")
        state = .allocate(capacity: 1)
        state.initialize(to: initial)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        heartwood_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// What the lock guards, for whoever has the lock already: it may be shared, see ``ConditionLock``.
    package var stateUnderLock: UnsafeMutablePointer<State> { state }

    /// Calls `body` with the lock held, and returns or throws what it does.
    ///
    /// Always inlined: otherwise other modules call it unspecialised, with boxes and thunks, and hold the lock longer. By
    /// that, and by an object less that each put allocated, `.synced` puts of 1,024 tasks went from 350,000 to more than
    /// 500,000 a second.
    @inlinable
    @inline(__always)
    package func withLock<R: ~Copyable, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        heartwood_mutex_lock(mutex)
        defer { heartwood_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }
}
