import KeyValueStore
import KeyValueStoreTesting

extension BrokenStore {
    /// Changes that break a promise.
    struct Changes: AsyncSequence, Sendable {
        typealias Element = Change
        typealias Failure = StoreError

        let inner: ConstrainedStore.Changes
        let store: ConstrainedStore
        /// Filters afterwards; nil if the inner feed has.
        let range: KeyRange?
        let fault: Fault?

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(inner: inner.makeAsyncIterator(), store: store, range: range, fault: fault)
        }

        struct AsyncIterator: AsyncIteratorProtocol {
            var inner: ConstrainedStore.Changes.AsyncIterator
            let store: ConstrainedStore
            let range: KeyRange?
            let fault: Fault?
            private var count = 0
            private var last: SequenceNumber = 0
            private var pending: [Change] = []

            init(
                inner: ConstrainedStore.Changes.AsyncIterator, store: ConstrainedStore, range: KeyRange?, fault: Fault?
            ) {
                (self.inner, self.store, self.range, self.fault) = (inner, store, range, fault)
            }

            mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Change? {
                if let change = pending.popLast() { return change }
                if fault == .endsAtEnd, count > 0, last == (try await store.readView().position.sequence) { return nil }
                do throws(StoreError) {
                    guard var change = try await read(actor) else { return nil }
                    count += 1
                    last = change.sequence
                    switch fault {
                    case .losesChange where count == 3: return try await read(actor)
                    case .repeatsChange where count == 3: pending = [change]
                    case .swapsChanges where count == 1:
                        pending = [change]
                        return try await read(actor)
                    case .marksEachChange: change.isLastOfBatch = true
                    default: break
                    }
                    return change
                } catch {
                    if fault == .endsOnCancellation && error.code == .cancelled { return nil }
                    throw error
                }
            }

            private mutating func read(_ actor: isolated (any Actor)?) async throws(StoreError) -> Change? {
                while let change = try await inner.next(isolation: actor) {
                    if fault == .losesRemovals && change.action == .remove { continue }
                    if change.key.withUnsafeBytes({ range?.contains($0) ?? true }) { return change }
                }
                return nil
            }
        }
    }
}
