/// The current state of something in a store, and then each newer one: an asynchronous sequence that stays current.
///
/// ```swift
/// for try await largest in cities.observe(Query(sort: [.descending(\.population)], limit: 10)) {
///     show(largest)
/// }
/// ```
///
/// The first element is the state at the first call of `next`. After that `next` waits until a change makes another
/// one. Each element is the state at one moment, and no element is older than the one before. A consumer that is slow
/// gets fewer elements, always the newest state when it asks; the last state is never left out. A change that leaves
/// the state as it was makes no element. A key that expires is a change.
///
/// All observations of a store object share one feed of its changes, and a change is compared with what each of them
/// has read; only those that it touches read again. The sequence ends when the store is closed, and keeps the store
/// object until then; on a store that is closed before the first state, it throws `.closed`. Each iterator observes on
/// its own, from its first `next` until it is released. It is for one task, and runs on that task's actor.
public struct LiveValues<Value: Sendable>: AsyncSequence, Sendable {
    let source: ObservationSource<Value>

    /// An iterator that hasn't read yet. O(1).
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(run: ObservationRun(source)) }

    /// Observes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var run: ObservationRun<Value>

        /// The state if it isn't the one that was delivered last; waits for that. Nil once the store is closed.
        ///
        /// - Throws: `.closed` if the store is closed and no state was delivered; `.cancelled` when the task is
        ///   cancelled, also while this call waits; `.undecodable`, `.newerModel` and what reading and the store's feed
        ///   throw. After an error it may be called again: it then reads again.
        /// - Complexity: That of reading the state.
        public nonisolated(nonsending) mutating func next() async throws(StoreError) -> Value? {
            try await run.next()?.value
        }

        /// The next state, on the actor that is passed, as `for await` calls it.
        ///
        /// - Throws: As ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Value? {
            try await run.next()?.value
        }
    }
}

/// What is observed, and how it is read.
struct ObservationSource<Value: Sendable>: Sendable {
    /// A state, and what it is compared by and depends on.
    struct State: Sendable {
        var value: Value
        /// Equal if the states are.
        var version: ObservedVersion
        /// The moment.
        var position: ChangePosition
        /// When a part of it expires first.
        var expires: Timestamp?
        /// What would change it.
        var watch: Watch
    }

    let store: any ReadableKeyValueStore
    /// The changes that the hub follows: everything that a watch may name.
    let scope: KeyRange
    /// What is known of what it depends on before it is read.
    var watch = Watch.everything
    let read: nonisolated(nonsending) @Sendable () async throws(StoreError) -> State
}

/// Identifies a state.
struct ObservedVersion: Sendable, Hashable {
    /// A record by its id, or a key.
    struct Record: Sendable, Hashable {
        var id: [UInt8]
        var sequence: SequenceNumber
    }

    var records: [Record] = []
    /// The number, where only that is observed.
    var count: Int?
}

/// A running observation. For one task.
struct ObservationRun<Value: Sendable> {
    private let source: ObservationSource<Value>
    private var registration: Registration?
    private var last: ObservedVersion?
    /// When what was read last expires.
    private var expires: Timestamp?
    private var isClosed = false

    init(_ source: ObservationSource<Value>) { self.source = source }

    /// Nil before the first reading, and after an error.
    var watcher: Watcher? { registration?.watcher }

    /// Waits for a state that isn't the last one. Nil once the store is closed; without a state before, that is an
    /// error.
    ///
    /// - Throws: As ``LiveValues/AsyncIterator/next()``.
    nonisolated(nonsending) mutating func next() async throws(StoreError) -> ObservationSource<Value>.State? {
        if isClosed { return nil }
        do throws(StoreError) {
            var backoff = ConflictBackoff(isRemote: true)
            while try await waitForChange() {
                let (state, isNewest) = try await read()
                guard state.version == last else {
                    last = state.version
                    return state
                }
                // The engine has told of a change that it doesn't show yet.
                if !isNewest { await backoff.wait() }
            }
        } catch {
            // The next call follows from the present on, with a new feed if that failed.
            (registration, expires) = (nil, nil)
            guard error.code == .closed else { throw error }
        }
        isClosed = true
        registration = nil
        if last == nil { throw .closed }
        return nil
    }

    /// Returns at once before the first reading.
    private nonisolated(nonsending) mutating func waitForChange() async throws(StoreError) -> Bool {
        let current: Registration
        if let registration {
            current = registration
        } else {
            current = Registration(source.store, source.scope, source.watch)
            registration = current
        }
        guard let expires else { return try await current.watcher.wait() }
        let (watcher, store) = (current.watcher, source.store)
        let timer = Task.detached { await StoreTimer.wait(for: expires, in: store) ? watcher.force() : () }
        defer { timer.cancel() }
        return try await watcher.wait()
    }

    /// Reads a view that is made after the feed began, and after everything that has touched the watcher.
    private nonisolated(nonsending) mutating func read() async throws(StoreError) -> (
        ObservationSource<Value>.State, isNewest: Bool
    ) {
        guard let registration else { preconditionFailure("an observation reads before it follows") }
        while true {
            registration.begin()
            let state = try await source.read()
            if registration.covers(state.watch) {
                registration.narrow(to: state.watch)
                expires = state.expires
                return (state, registration.watcher.finish(seeing: state.position))
            }
            // It depends on other keys than before, such as of an index that has become ready. What changed there since
            // it was read isn't known.
            registration.narrow(to: source.watch)
        }
    }
}

/// A watcher in its hub, until it is released.
private final class Registration {
    let watcher: Watcher
    private let hub: ChangeHub
    private let initial: Watch

    init(_ store: any ReadableKeyValueStore, _ scope: KeyRange, _ watch: Watch) {
        (hub, watcher, initial) = (.of(store, in: scope), Watcher(watch), watch)
        hub.watchers.add(watcher)
    }

    deinit { hub.watchers.remove(watcher) }

    /// Whether no change of what `watch` names has been missed.
    func covers(_ watch: Watch) -> Bool {
        let present = watcher.watch
        return present == watch || present == initial
    }

    func begin() { watcher.begin(after: hub.watchers.latest) }

    func narrow(to watch: Watch) { hub.watchers.update(watcher, watch) }
}
