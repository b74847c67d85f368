extension ConstrainedStore {
    /// The changes of a store after a position.
    public struct Changes: AsyncSequence, Sendable {
        /// One change.
        public typealias Element = Change
        /// The only type of errors that iterators throw.
        public typealias Failure = StoreError

        private let cluster: ConstrainedCluster
        private let handle: Handle
        private let position: ChangePosition
        private let range: KeyRange

        init(_ cluster: ConstrainedCluster, _ handle: Handle, after position: ChangePosition, in range: KeyRange) {
            (self.cluster, self.handle, self.position, self.range) = (cluster, handle, position, range)
        }

        /// A feed that starts at the position. O(1).
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(cluster: cluster, handle: handle, position: position, range: range)
        }

        /// A running feed.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let cluster: ConstrainedCluster
            let handle: Handle
            /// After everything that was loaded.
            var position: ChangePosition
            let range: KeyRange
            /// The rest of a batch, last change first.
            private var rest: [Change] = []
            private var isDone = false

            init(cluster: ConstrainedCluster, handle: Handle, position: ChangePosition, range: KeyRange) {
                (self.cluster, self.handle, self.position, self.range) = (cluster, handle, position, range)
            }

            /// The next change. Waits for it; nil once the handle is closed.
            ///
            /// - Throws: `.cancelled`, `.positionUnavailable`, `.inputOutput`. After an error, later calls return nil.
            /// - Complexity: O(changes of a batch).
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Change? {
                if let change = rest.popLast() { return change }
                if isDone { return nil }
                isDone = true
                guard let batch = try await cluster.nextBatch(after: position, in: range, of: handle) else {
                    return nil
                }
                isDone = false
                position = batch.position
                rest = batch.changes.reversed()
                return rest.popLast()
            }
        }
    }
}
