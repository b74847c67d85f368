/// The changes of an engine that delivers them batch by batch.
package struct BatchedChanges: AsyncSequence, Sendable {
    package typealias Element = Change
    package typealias Failure = StoreError
    /// Returns the next batch after a position. Waits for it; nil once the store is closed.
    package typealias NextBatch = @Sendable (_ position: ChangePosition) async throws(StoreError) -> [Change]?

    private let position: ChangePosition
    private let start: @Sendable () -> NextBatch

    /// - Parameters:
    ///   - position: After which the changes begin.
    ///   - start: Makes what an iterator calls for each batch, and drops when it ends.
    package init(after position: ChangePosition, start: @escaping @Sendable () -> NextBatch) {
        (self.position, self.start) = (position, start)
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(position: position, nextBatch: start()) }

    /// A running feed. After an error, it is at its end.
    package struct AsyncIterator: AsyncIteratorProtocol {
        /// After the batch that was loaded last.
        fileprivate var position: ChangePosition
        /// Nil at the end.
        fileprivate var nextBatch: NextBatch?
        /// The rest of a batch, last change first.
        private var rest: [Change] = []

        fileprivate init(position: ChangePosition, nextBatch: @escaping NextBatch) {
            (self.position, self.nextBatch) = (position, nextBatch)
        }

        package mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Change? {
            if let change = rest.popLast() { return change }
            guard let load = nextBatch else { return nil }
            nextBatch = nil
            if Task.isCancelled {
                throw StoreError(.cancelled, "the task was cancelled: follow again from the last position")
            }
            guard let batch = try await load(position), let last = batch.last else { return nil }
            (position, nextBatch) = (last.position, load)
            rest = batch.reversed()
            return rest.popLast()
        }
    }
}
