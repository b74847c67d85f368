internal import Synchronization

/// An engine in memory that has the limits of a remote one, and behaves as badly as ``KeyValueStore`` allows. For tests
/// of layers: what passes on it assumes nothing that only an embedded engine gives.
///
/// ```swift
/// let store = ConstrainedStore(.rough.seeded(42))
/// let other = store.anotherHandle()           // as another program on the same cluster
/// ```
///
/// Every call suspends. Sequence numbers aren't dense. Depending on its ``Behaviour``, views end, commits conflict
/// without a reason, their outcome is unknown, and calls fail.
///
/// An expired key is removed by a write of its own before the next call, as by etcd's leases: a feed delivers
/// `.remove`. The removal of an absent key makes no change in a feed.
public final class ConstrainedStore: KeyValueStore {
    /// How the store behaves.
    public let behaviour: Behaviour
    let cluster: ConstrainedCluster
    let handle: Handle

    /// What a handle, its views and its feeds share.
    final class Handle: Sendable {
        let isClosed = Atomic(false)
    }

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - behaviour: Its limits, and what it does to its callers.
    ///   - clock: Decides what has expired; nil is the system's real-time clock.
    public convenience init(_ behaviour: Behaviour = .gentle, clock: (@Sendable () -> Timestamp)? = nil) {
        self.init(ConstrainedCluster(behaviour, clock: clock), behaviour)
    }

    private init(_ cluster: ConstrainedCluster, _ behaviour: Behaviour) {
        (self.cluster, self.behaviour, handle) = (cluster, behaviour, Handle())
    }

    /// Another store object with the same data, as another program has it that is connected to the same cluster. It can
    /// be closed alone.
    public func anotherHandle() -> ConstrainedStore { ConstrainedStore(cluster, behaviour) }

    /// Closes this handle. Its feeds end; later calls of it and its views throw `.closed`. Other handles aren't
    /// affected, and a later handle has the same data.
    public func close() async {
        handle.isClosed.store(true, ordering: .sequentiallyConsistent)
        await cluster.wakeFeeds()
    }

    /// Ends all views, and removes the history of changes: feeds that haven't read it throw `.positionUnavailable`.
    public func compact() async { await cluster.compact() }

    /// What the store has done, all handles together.
    public var statistics: Statistics {
        get async { await cluster.statistics }
    }

    /// The identity of the store, which all handles share.
    public var id: StoreID { cluster.id }

    /// The limits of the behaviour.
    public var limits: KeyValueLimits { behaviour.limits }
    /// The time of its clock.
    public var now: Timestamp { cluster.now }

    /// The store as it is now.
    ///
    /// - Throws: `.closed`.
    public nonisolated(nonsending) func readView() async throws(StoreError) -> View {
        try await cluster.makeView(of: handle)
    }

    /// Writes a batch, all or nothing, if all its conditions hold.
    ///
    /// - Throws: As ``KeyValueStore/commit(_:durability:)``; `.invalidArgument` also if a key is in the batch twice, or
    ///   if a condition has a view of another store. A condition whose view has ended is still evaluated.
    /// - Complexity: O(log keys) for each operation, O(keys) for each new key, O(keys of the range) for a condition.
    @discardableResult
    public nonisolated(nonsending) func write(
        _ batch: WriteBatch, durability: Durability?
    ) async throws(StoreError) -> SequenceNumber {
        try Transaction.checkOutside(of: self)
        return try await cluster.commit(batch, of: handle)
    }

    /// The changes after a position. Each iterator is a feed of its own; all levels are the same.
    ///
    /// Iterating throws `.cancelled`, `.positionUnavailable` and `.inputOutput`, and ends once the handle is closed.
    public func changes(
        after position: ChangePosition?, in range: KeyRange, level: ChangeLevel
    ) -> some AsyncSequence<Change, StoreError> & Sendable {
        BatchedChanges(after: position ?? cluster.position) { [cluster, handle] in
            { (position) throws(StoreError) in
                try await cluster.nextBatch(after: position, in: range, of: handle)
            }
        }
    }
}

extension ConstrainedStore {
    /// The entries of many keys; see ``KeyValueReader/fetchEntries(of:)``.
    public nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        try await cluster.entries(of: keys, in: nil, of: handle)
    }

    /// Entries of a range; see ``KeyValueReader/fetchEntries(in:reversed:limit:)``.
    public nonisolated(nonsending) func fetchEntries(
        in range: KeyRange, reversed: Bool, limit: Int
    ) async throws(StoreError) -> EntryPage {
        try await cluster.page(of: range, reversed: reversed, limit: limit, in: nil, of: handle)
    }

    /// The number of keys of a range; see ``KeyValueReader/fetchCount(in:)``.
    public nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
        try await cluster.count(of: range, in: nil, of: handle)
    }
}
