package import CHeartwood

/// State that is only reached with a lock held, and whose changes can be waited for.
///
/// ```swift
/// let next = lock.withLock { held in
///     while held.state.isEmpty { held.wait() }
///     return held.state.removeFirst()
/// }
/// ```
///
/// Other threads change the state during a wait, so no access to it may stay open across one. The compiler sees to
/// that: an access to `held.state` is an access to `held`, `wait` needs `held` for itself alone, and `Held` can't be
/// copied. Timed waits go by the monotonic clock.
///
/// The invariant under `@unchecked Sendable` is the one of ``Locked``: the state is only touched with the mutex held,
/// which is the only time at which there is a `Held`.
package final class ConditionLock<State>: @unchecked Sendable {
    @usableFromInline
    nonisolated(unsafe) let mutex: UnsafeMutablePointer<heartwood_mutex>
    @usableFromInline
    nonisolated(unsafe) let condition: UnsafeMutablePointer<heartwood_condition>
    @usableFromInline
    nonisolated(unsafe) let state: UnsafeMutablePointer<State>
    /// Whose mutex it is, and what keeps it.
    private let owner: any AnyObject & Sendable

    /// Guards `initial`.
    package convenience init(_ initial: consuming sending State) {
        self.init(initial, sharing: Locked(()))
    }

    /// Guards `initial` by the mutex that guards another state already: whoever has one has both.
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

    /// For whoever doesn't wait: calls `body` with the lock held and the state alone.
    @inlinable
    @inline(__always)
    package func withState<R: ~Copyable, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        heartwood_mutex_lock(mutex)
        defer { heartwood_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }

    /// The mutex and what it guards, for an executor, whose work is no closure: nobody touches the one without the other.
    package var parts: (mutex: UnsafeMutablePointer<heartwood_mutex>, state: UnsafeMutablePointer<State>) {
        (mutex, state)
    }

    /// Wakes one of the waiting threads. Cheaper without the lock held; correct either way.
    @inlinable
    package func signal() {
        heartwood_condition_signal(condition)
    }

    /// Wakes all waiting threads. Cheaper without the lock held; correct either way.
    @inlinable
    package func broadcast() {
        heartwood_condition_broadcast(condition)
    }

    /// The lock while it is held.
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

        /// Gives the lock up, sleeps until signalled or until the time is over, and takes the lock again.
        ///
        /// It may also return for no reason: look at the state again.
        ///
        /// - Returns: Whether it returned before the time was over.
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
