internal import HeartwoodConcurrency
public import HeartwoodFiles

/// Reads of the state that the last refresh showed.
extension ReadOnlyStore: ImageReader {
    var reader: Reader { Reader(image: image, point: .latest) }

    func readPin() throws(StoreError) -> ReadPin {
        let image = image
        if image.isClosed { throw .closed }
        return ReadPin(image)
    }

    /// The identity of the store; zeros while the store has no write. O(1).
    package var id: StoreID { image.storeID }

    /// The position after the last write that it shows. O(1).
    public var position: ChangePosition {
        let image = image
        return ChangePosition(store: image.storeID, sequence: image.index.visibleSequence)
    }

    /// A read view of the state that the last refresh showed. Later refreshes don't change it. It keeps its files open
    /// until it is released, also if this object is released earlier.
    ///
    /// - Throws: `.closed`.
    /// - Complexity: O(1).
    public func readView() throws(StoreError) -> ReadView { ReadView(try readPin()) }

    /// The entries of a range, in key order, as the last refresh showed them: at most `limit`. See ``Scan``.
    public func scan(_ range: KeyRange = .all, reversed: Bool = false, limit: Int = .max) -> Scan {
        Scan(pin: ReadPin(image), range: range, reversed: reversed, limit: limit)
    }

    /// The changes after a position, as ``Store/changes(after:in:level:)``. It needs no refresh, and makes none.
    ///
    /// ```swift
    /// let view = try store.readView()
    /// print(try view.scan(.prefix("user:")).count())
    /// for try await change in store.changes(after: view.position, in: .prefix("user:")) { print(change.key) }
    /// ```
    ///
    /// While nothing comes, the files are looked at every 20 ms. The feed doesn't end when the writing process closes
    /// the store, or when this object is closed: cancel its task.
    ///
    /// A store without a write has no identity yet, so its feed throws `.positionUnavailable`: refresh until it has
    /// one.
    ///
    /// - Parameters:
    ///   - position: The first change is the one after it; nil is the position of what the last refresh showed.
    ///   - range: Only changes of these keys are delivered.
    ///   - level: Nil is the level of this store.
    /// - Returns: The changes. This call throws nothing and doesn't block. Iterating throws `.positionUnavailable` for
    ///   a position of another store, one whose log was removed, or, after a second, one after the newest write;
    ///   `StoreError.restart` has the earliest position that can be followed.
    /// - Complexity: O(1); the first change costs O(bytes of two segments).
    public func changes(
        after position: ChangePosition? = nil, in range: KeyRange = .all, level: ChangeLevel? = nil
    ) -> Changes {
        let (position, level) = (position ?? self.position, level ?? self.level)
        let image = image
        let start = Result<any ChangeSource, StoreError> { () throws(StoreError) in
            guard image.storeID != LiveImage.noStore else { throw .nothingToFollow(path) }
            let directory = try LogDirectory(following: image)
            try directory.check(position, here: self.position)
            return FilesSource(
                directory, after: position, level, maximumValueBytes: image.maximumValueBytes)
        }
        return Changes(after: position, in: range, level, of: start)
    }

    /// Figures of the state that it shows.
    public struct Statistics: Sendable, Hashable {
        /// Number of keys, including expired ones that are not compacted yet.
        public var keys: Int
        /// Bytes of memory that the index uses.
        public var indexBytes: Int
        /// Bytes of the records of the newest values.
        public var liveBytes: UInt64
        /// The snapshot that it began with; nil if there was none.
        public var snapshot: SnapshotDescription?
        /// Number of files that it has open.
        public var files: Int
        /// Number of read points that read views and scans have pinned.
        public var pinnedStates: Int
        /// How far the store's time is ahead of the clock; see ``Store/Statistics/timeAhead``.
        public var timeAhead: Duration
    }

    /// Figures of the state that it shows. O(1).
    public var statistics: Statistics {
        let image = image
        let index = image.index.statistics
        return Statistics(
            keys: index.keys, indexBytes: index.bytes, liveBytes: index.liveBytes,
            snapshot: live.withLock { $0.snapshot },
            files: image.segments.all.count, pinnedStates: index.readPoints, timeAhead: image.timeAhead)
    }
}
