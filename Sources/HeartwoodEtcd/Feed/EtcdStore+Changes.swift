#if Etcd
public import KeyValueStore

extension EtcdStore {
    /// The changes after a position; see `ReadableKeyValueStore`. Each iterator is a watch of its own. All levels are
    /// the same: etcd shows only what is durable.
    ///
    /// - Parameters:
    ///   - position: nil is the newest position that this object knows: that of the newest write which it has made or
    ///     read.
    ///   - range: Only changes of these keys are delivered.
    ///   - level: Makes no difference.
    public func changes(after position: ChangePosition?, in range: KeyRange, level: ChangeLevel) -> Changes {
        Changes(store: self, position: position ?? knownPosition, range: range)
    }

    /// The changes of a store after a position.
    ///
    /// An iterator follows them by a watch of etcd. If the connection breaks, it watches again where it was, so that no
    /// change is missing or comes twice.
    public struct Changes: AsyncSequence, Sendable {
        /// One change.
        public typealias Element = Change
        /// The only type of errors that iterators throw.
        public typealias Failure = StoreError

        let store: EtcdStore
        let position: ChangePosition
        let range: KeyRange

        /// A feed that starts at the position. O(1).
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(Feed(store, position, range)) }

        /// A running feed.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private let feed: Feed
            /// The rest of a batch, last change first.
            private var rest: [Change] = []
            private var isDone = false

            init(_ feed: Feed) { self.feed = feed }

            /// The next change. Waits for it; nil once the store is closed.
            ///
            /// - Throws: `.cancelled`; `.positionUnavailable` if etcd has compacted the changes, or if the position is
            ///   of another store; `.permission`; `.inputOutput` if no server could be watched for a minute. After an
            ///   error, later calls return nil.
            /// - Complexity: O(changes of a batch).
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Change? {
                if let change = rest.popLast() { return change }
                if isDone { return nil }
                isDone = true
                guard let batch = try await feed.next() else { return nil }
                isDone = false
                rest = batch.reversed()
                return rest.popLast()
            }
        }
    }

    /// What an iterator owns: the task of the watch ends with it.
    final class Feed: Sendable {
        private let buffer = FeedBuffer()
        private let closing: ClosingState
        private let ending: Int
        private let task: Task<Void, Never>

        init(_ store: EtcdStore, _ position: ChangePosition, _ range: KeyRange) {
            closing = store.closing
            let watch = Watch(store, position, range, buffer)
            let buffer = self.buffer
            task = Task { await watch.run() }
            ending = closing.add { buffer.finish(nil) }
        }

        deinit {
            task.cancel()
            closing.remove(ending)
            buffer.finish(nil)
        }

        /// The next batch; nil once the store is closed.
        func next() async throws(StoreError) -> [Change]? {
            do throws(StoreError) {
                return try await buffer.next()
            } catch {
                task.cancel()
                throw error
            }
        }
    }
}
#endif
