internal import HeartwoodConcurrency

/// What a ``LocalRepository`` has, and then each newer state: an asynchronous sequence that stays current.
///
/// ```swift
/// for await items in repository.observe() { show(items) }
/// ```
///
/// The first element is the present state. Then each save and delete of any repository of this path in the process
/// makes another one, once it is durable. A consumer that is slow gets fewer elements, always the newest state when it
/// asks; the last one is never left out. The sequence ends when its task is cancelled; it keeps the repository.
///
/// Each iterator observes on its own, from its first `next` until it is released. It is for one task.
public struct LocalValues<Value: Sendable>: AsyncSequence, Sendable {
    /// A state.
    public typealias Element = Value
    /// It doesn't throw.
    public typealias Failure = Never

    let signals: LocalSignals
    /// A state, and a number that differs if the state does.
    let read: @Sendable () async -> (value: Value, version: UInt64)

    /// An iterator that hasn't read yet. O(1).
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(values: self) }

    /// Observes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let values: LocalValues
        private var changes: AsyncStream<Void>.AsyncIterator?
        private var last: UInt64?

        fileprivate init(values: LocalValues) { self.values = values }

        /// The state if it isn't the one that was delivered last; waits for that. Nil once the task is cancelled.
        ///
        /// - Complexity: That of reading the state.
        public nonisolated(nonsending) mutating func next() async -> Value? { await next(isolation: #isolation) }

        /// The next state, on the actor that is passed, as `for await` calls it.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            // Registered before the first reading, so that no change is missed.
            if changes == nil { changes = values.signals.changes().makeAsyncIterator() }
            while !Task.isCancelled {
                if last != nil, await changes?.next(isolation: actor) == nil { return nil }
                let (value, version) = await values.read()
                if version == last { continue }
                last = version
                return value
            }
            return nil
        }
    }
}

/// Tells observers of a repository that something has changed. A signal that wasn't taken yet stands for all later
/// ones.
final class LocalSignals: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
    }

    private let state = Locked(State())

    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let name = state.withLock { state in
            state.next += 1
            state.continuations[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.continuations[name] = nil } }
        return stream
    }

    func send() {
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield() }
    }
}
