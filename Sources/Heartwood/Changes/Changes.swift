internal import HeartwoodFileSystem
public import HeartwoodFiles
internal import HeartwoodFormat

/// The changes of a store from a position on, in the order of their writes, without end: a change feed.
///
/// ```swift
/// for try await change in store.changes(after: position, level: .durable) {
///     apply(change)
///     if change.isLastOfBatch { position = change.position }
/// }
/// ```
///
/// No change is missing and none comes twice. A batch is delivered as its changes, the last of which says so. At the
/// end of the log the feed waits for the next write. It ends when the store is closed, after all changes until then.
///
/// Memory: about two megabytes, and one value, however slow the consumer is. A feed keeps no log: it may fall behind as
/// far as ``Store/Configuration/logRetention`` says. Then it throws `.positionUnavailable`. See ``Store/follow(in:level:)``
/// for a start without a position.
///
/// Each iterator is a feed of its own that starts at the position. An iterator is for one task.
public struct Changes: AsyncSequence, Sendable {
    /// One change.
    public typealias Element = Change
    /// The only error type that iterators throw.
    public typealias Failure = StoreError

    /// Where it starts.
    public let position: ChangePosition
    /// How far it goes.
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

    /// A feed that starts at the position. O(1); the first change costs O(bytes of a segment).
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            start.map { ChangeFeed($0, after: position.sequence, in: range, hold: hold) }, after: position)
    }

    /// A running feed.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let feed: Result<ChangeFeed, StoreError>
        /// The changes of the page; nil where they were delivered.
        private var changes: [Change?] = []
        private var index = 0
        private var isDone = false
        /// How far the feed could read when it reached the end; nil while there is more.
        private var caughtUp: ReadableChanges?
        /// Where to follow from after `changes`.
        private var end: ChangePosition
        private var last: ChangePosition

        init(_ feed: Result<ChangeFeed, StoreError>, after position: ChangePosition) {
            (self.feed, end, last) = (feed, position, position)
        }

        /// From where to follow once all changes that were delivered are applied. Also moves on with changes outside
        /// the range, so a feed of a range that seldom changes should keep it from time to time.
        public var position: ChangePosition { index == changes.count ? end : last }

        /// The next change. Waits for it; nil once the store is closed.
        ///
        /// - Throws: `StoreError`: `.positionUnavailable` with the position to start again from, `.cancelled`,
        ///   `.corruption`, `.inputOutput`, `.tooLarge`, `.tooManyFiles`; `.failed` if the store takes no more writes
        ///   because a write failed. After an error, it ends.
        public nonisolated(nonsending) mutating func next() async throws(StoreError) -> Change? {
            try await next(isolation: #isolation)
        }

        /// The next change. Waits for it; nil once the store is closed.
        ///
        /// - Throws: As ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Change? {
            if index == changes.count, try await !load() { return nil }
            let change = changes[index].take()!
            index += 1
            if change.isLastOfBatch { last = change.position }
            return change
        }

        /// Loads the next page that has a change. False if nothing will follow.
        private nonisolated(nonsending) mutating func load() async throws(StoreError) -> Bool {
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
