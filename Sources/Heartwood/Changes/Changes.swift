internal import HeartwoodConcurrency
public import HeartwoodFiles
internal import HeartwoodFormat

/// The changes of a store after a position, in the order of their writes: a change feed.
///
/// ```swift
/// for try await change in store.changes(after: position, level: .durable) {
///     apply(change)
///     if change.isLastOfBatch { position = change.position }
/// }
/// ```
///
/// No change is missing and none comes twice. A batch is delivered as its changes, the last of which says so. At the
/// end of the log the feed waits for the next write. It ends when the store is closed, or its object released, after
/// all changes until then. A feed that is begun on a closed store throws `.closed`.
///
/// A feed uses about two megabytes, and one value, however slow the consumer is. It keeps no log, except that of
/// ``Store/follow(in:level:)``. If compaction removes a segment that the feed hasn't begun to read, the feed throws
/// `.positionUnavailable`; ``Store/Configuration/logRetention`` keeps more log.
///
/// Each iterator is a feed of its own that starts at the position. An iterator is for one task. It runs on the actor of
/// the task that iterates, and reads files on other threads.
public struct Changes: AsyncSequence, Sendable {
    /// One change.
    public typealias Element = Change
    /// The only type of errors that iterators throw.
    public typealias Failure = StoreError

    /// The first change is the one after this position.
    public let position: ChangePosition
    /// Which writes are delivered: those on the disk, or those that readers see.
    public let level: ChangeLevel
    /// The keys whose changes are delivered.
    public let range: KeyRange
    private let start: Result<any ChangeSource, StoreError>
    private let hold: LogHold?

    /// - Parameter source: What it follows, or the error of the first iteration.
    init(
        after position: ChangePosition, in range: KeyRange, _ level: ChangeLevel, hold: LogHold? = nil,
        of source: Result<any ChangeSource, StoreError>
    ) {
        (self.position, self.range, self.level, self.hold, start) = (position, range, level, hold, source)
    }

    /// A feed that starts at the position. Doesn't block. O(1); the first change costs O(bytes of a segment).
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            start.map { ChangeFeed($0, after: position.sequence, in: range, hold: hold) }, after: position)
    }

    /// A running feed.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let feed: Result<ChangeFeed, StoreError>
        /// The changes of the page; nil where they were delivered.
        @usableFromInline var changes: [Change?] = []
        @usableFromInline var index = 0
        private var isDone = false
        /// How far the feed could read when it reached the end; nil while there is more.
        private var caughtUp: ReadableChanges?
        /// Where to follow from after `changes`.
        private var end: ChangePosition
        @usableFromInline var last: ChangePosition

        init(_ feed: Result<ChangeFeed, StoreError>, after position: ChangePosition) {
            (self.feed, end, last) = (feed, position, position)
        }

        /// The position to continue from once all changes that `next` has returned are applied. O(1).
        ///
        /// Within a batch it is the position before the batch. It also moves on with changes outside the range, so
        /// with a range, store it instead of the position of the last change. Read it also after `next` has returned
        /// nil or thrown: then it is after everything that the feed has read.
        public var position: ChangePosition { index == changes.count ? end : last }

        /// The next change. Waits for it; nil once the store is closed.
        ///
        /// - Throws: `.cancelled` when the task is cancelled, also while this call waits; `.positionUnavailable` with
        ///   `StoreError.restart`; `.closed` if the store was closed before the feed was made; `.failed` if the store
        ///   accepts no more writes because a write failed; `.tooLarge` for a compressed value over
        ///   `maximumValueBytes`; `.corruption`, `.inputOutput`, `.tooManyFiles`, `.unsupportedFormat`. After an
        ///   error, later calls return nil.
        /// - Complexity: O(bytes of the change). Changes outside of the range are read, too.
        public nonisolated(nonsending) mutating func next() async throws(StoreError) -> Change? {
            try await next(isolation: #isolation)
        }

        /// The next change, on the actor that is passed, as `for await` calls it. Waits for it; nil once the store is
        /// closed.
        ///
        /// - Throws: As ``next()``.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Change? {
            if index == changes.count, try await !load() { return nil }
            let change = changes[index].take()!
            index += 1
            if change.isLastOfBatch { last = change.position }
            return change
        }

        /// Loads the next page that has a change. False if nothing will follow.
        @usableFromInline
        nonisolated(nonsending) mutating func load() async throws(StoreError) -> Bool {
            if isDone { return false }
            isDone = true
            let feed = try feed.get()
            repeat {
                // A consumer that never waits must not keep its thread from other tasks.
                if TimeSlice.isOver(isLong: true) { await TimeSlice.yield() }
                if let caughtUp, try await !feed.waitForMore(than: caughtUp) { return false }
                if Task.isCancelled { throw .followingCancelled }
                var load = try await feed.load()
                load.page.move(to: &changes)
                index = 0
                end = ChangePosition(store: end.store, sequence: load.sequence)
                caughtUp = load.hasMore ? nil : load.readable
            } while changes.isEmpty
            isDone = false
            return true
        }
    }
}
