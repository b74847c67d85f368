internal import HeartwoodConcurrency
public import HeartwoodFiles

/// Reads of the state that the last refresh showed. A ``readView()`` has all reads that a store has.
extension ReadOnlyStore {
    private var reader: Reader { Reader(image: image, point: .latest) }

    /// The identity of the store; zeros while the store has no write. O(1).
    public var id: StoreID { image.storeID }

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
    public func readView() throws(StoreError) -> ReadView {
        let image = image
        if image.isClosed { throw .closed }
        return ReadView(ReadPin(image))
    }

    /// The value of a key; nil if the key is absent. May block on the disk.
    ///
    /// - Throws: `.invalidArgument`, `.closed`, `.corruption`, `.inputOutput`; `.tooLarge` for a compressed value over
    ///   `maximumValueBytes`.
    /// - Complexity: O(log n), and one read of the record.
    public func get(_ key: some ByteSource) throws(StoreError) -> [UInt8]? { try reader.value(of: key) }

    /// The value of a key; nil if the key is absent. Doesn't block a thread of the cooperative pool. Cancellation
    /// doesn't interrupt it.
    ///
    /// - Throws: As ``get(_:)``.
    /// - Complexity: As ``get(_:)``.
    public nonisolated(nonsending) func fetch(_ key: some ByteSource) async throws(StoreError) -> [UInt8]? {
        try await reader.fetchValue(of: key)
    }

    /// The key with its value, sequence number and expiry; nil if the key is absent. May block on the disk.
    ///
    /// - Throws: As ``get(_:)``.
    /// - Complexity: As ``get(_:)``.
    public func entry(_ key: some ByteSource) throws(StoreError) -> Entry? { try reader.entry(of: key) }

    /// Whether a key exists. No I/O. O(log n).
    ///
    /// - Throws: `.invalidArgument`, `.closed`.
    public func contains(_ key: some ByteSource) throws(StoreError) -> Bool {
        try key.withByteBuffer { (key) throws(StoreError) in try reader.contains(key) }
    }

    /// The entries of a range, in key order, as the last refresh showed them. O(log n) for the first entry.
    ///
    /// Iterating throws `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    public func scan(_ range: KeyRange = .all, reversed: Bool = false) -> Scan {
        Scan(pin: ReadPin(image), range: range, reversed: reversed)
    }

    /// Calls `body` with the entries of a range, in key order, until it returns `.stop`. May block on the disk.
    ///
    /// - Throws: What `body` throws, or `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n), and O(bytes) of the entries.
    public func forEach(
        in range: KeyRange = .all, reversed: Bool = false, _ body: (Entry) throws -> ScanDecision
    ) throws {
        try readView().forEach(in: range, reversed: reversed, body)
    }

    /// The changes after a position, as ``Store/changes(after:in:level:)``. It needs no refresh, and makes none.
    ///
    /// ```swift
    /// let view = try store.readView()
    /// print(try view.count(in: .prefix("user:")))
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
