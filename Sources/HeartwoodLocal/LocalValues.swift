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
/// Each iterator observes on its own, until it is released. It is for one task.
public struct LocalValues<Value: Sendable>: AsyncSequence, Sendable {
    let core: LocalCore
    /// A state, and a number that differs if the state does.
    let read: @Sendable () async -> (value: Value, version: UInt64)

    /// An iterator that hasn't read yet. O(1).
    public func makeAsyncIterator() -> AsyncCompactMapSequence<AsyncStream<Void>, Value>.AsyncIterator {
        let last = Locked<UInt64?>(nil)
        let read = read
        // Registered before the first reading, so that no change is missed.
        return core.changes().compactMap { _ in
            let (value, version) = await read()
            return last.withLock { last in
                defer { last = version }
                return version == last ? nil : value
            }
        }.makeAsyncIterator()
    }
}
