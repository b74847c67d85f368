package import CHeartwood

/// State that is accessed only with a lock held, and a condition variable to wait for its changes.
///
/// ```swift
/// let next = lock.withLock { held in
///     while held.state.isEmpty { held.wait() }
///     return held.state.removeFirst()
/// }
/// ```
///
/// Other threads change the state during a wait, so no access to it may stay open across a wait. The compiler enforces
/// that: an access to `held.state` is an access to `held`, `wait` needs exclusive access to `held`, and `Held` can't be
/// copied. Timed waits use the monotonic clock.
///
/// The invariant for `@unchecked Sendable` is the one of ``Locked``: the state is accessed only with the mutex held,
/// and a `Held` exists only then.
package final class ConditionLock<State>: @unchecked Sendable {
    /// For an executor, which is inlined as a generic function of this module can't be.
    package nonisolated(unsafe) let mutex: UnsafeMutablePointer<heartwood_mutex>
    @usableFromInline
    nonisolated(unsafe) let condition: UnsafeMutablePointer<heartwood_condition>
    @usableFromInline
    nonisolated(unsafe) let state: UnsafeMutablePointer<State>
    /// Owns the mutex and keeps it alive.
    private let owner: any AnyObject & Sendable

    /// Guards `initial` with a mutex of its own.
    package convenience init(_ initial: consuming sending State) {
        self.init(initial, sharing: Locked(()))
    }

    /// Guards `initial` with the mutex that already guards another state. A thread that holds the mutex has both
    /// states.
    package init<Other>(_ initial: consuming sending State, sharing other: Locked<Other>) {
        owner = other
        mutex = other.mutex
        condition = .allocate(capacity: 1)
        condition.initialize(to: heartwood_condition())
        let error = heartwood_condition_init(condition)
        precondition(error == 0, "a condition variable can't be made: error \(error)")
        state = .allocate(capacity: 1)
        state.initialize(to: initial)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        heartwood_condition_destroy(condition)
        condition.deinitialize(count: 1)
        condition.deallocate()
    }

    /// Calls `body` with the lock held, and returns or throws what it does.
    @inlinable
    @inline(__always)
    package func withLock<R: ~Copyable, E: Error>(_ body: (inout Held) throws(E) -> R) throws(E) -> R {
        heartwood_mutex_lock(mutex)
        defer { heartwood_mutex_unlock(mutex) }
        var held = Held(mutex: mutex, condition: condition, pointer: state)
        return try body(&held)
    }

    /// Calls `body` with the lock held and only the state: for callers that don't wait.
    @inlinable
    @inline(__always)
    package func withState<R: ~Copyable, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        heartwood_mutex_lock(mutex)
        defer { heartwood_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }

    /// As ``Held/wait(timeoutNanoseconds:)``, for an executor, whose work is not a closure. Call it with the lock held.
    package func waitUnderLock(timeoutNanoseconds: UInt64?) {
        var held = Held(mutex: mutex, condition: condition, pointer: state)
        held.wait(timeoutNanoseconds: timeoutNanoseconds)
    }

    /// Wakes one of the waiting threads. Cheaper without the lock held, and correct either way.
    @inlinable
    package func signal() {
        heartwood_condition_signal(condition)
    }

    /// Wakes all waiting threads. Cheaper without the lock held, and correct either way.
    @inlinable
    package func broadcast() {
        heartwood_condition_broadcast(condition)
    }

    /// Access to the lock while it is held.
    package struct Held: ~Copyable {
        @usableFromInline
        let mutex: UnsafeMutablePointer<heartwood_mutex>
        @usableFromInline
        let condition: UnsafeMutablePointer<heartwood_condition>
        @usableFromInline
        let pointer: UnsafeMutablePointer<State>

        @inlinable
        init(
            mutex: UnsafeMutablePointer<heartwood_mutex>, condition: UnsafeMutablePointer<heartwood_condition>,
            pointer: UnsafeMutablePointer<State>
        ) {
            self.mutex = mutex
            self.condition = condition
            self.pointer = pointer
        }

        /// The guarded state.
        @inlinable
        package var state: State {
            _read { yield pointer.pointee }
            _modify { yield &pointer.pointee }
        }

        /// Releases the lock, sleeps until signalled or until the timeout, and takes the lock again.
        ///
        /// It may also return without a signal: check the state again.
        ///
        /// - Returns: Whether it returned before the timeout.
        @inlinable
        @discardableResult
        package mutating func wait(timeoutNanoseconds: UInt64? = nil) -> Bool {
            guard let timeoutNanoseconds else {
                heartwood_condition_wait(condition, mutex)
                return true
            }
            return heartwood_condition_wait_for(condition, mutex, timeoutNanoseconds) == 0
        }

        /// Wakes one of the waiting threads.
        @inlinable
        package mutating func signal() {
            heartwood_condition_signal(condition)
        }

        /// Wakes all waiting threads.
        @inlinable
        package mutating func broadcast() {
            heartwood_condition_broadcast(condition)
        }
    }
}
