/// A store that can be read and followed: the reading half of ``KeyValueStore``.
public protocol ReadableKeyValueStore: KeyValueReader, AnyObject, Sendable {
    /// The type of its views.
    associatedtype View: KeyValueView
    /// The type of its change feeds.
    associatedtype Changes: AsyncSequence<Change, StoreError> & Sendable

    /// What the engine allows. Constant.
    var limits: KeyValueLimits { get }
    /// The time by which keys expire, as far as this program knows it. It needn't be that of the system's clock. O(1).
    ///
    /// In an engine that only this program writes, it never goes back, and durations pass whatever happens to the
    /// clock. If other programs write, too (``KeyValueLimits/hasOtherWriters``), it may follow this program's clock in
    /// both directions: a key that has expired may exist again. It may always go forward by any amount. So wait for a
    /// time in short steps, and compare again.
    var now: Timestamp { get }

    /// The store as it is now: everything that was acknowledged before this call is in it.
    ///
    /// - Throws: `.closed`, and what the engine throws if it can't read.
    nonisolated(nonsending) func readView() async throws(StoreError) -> View

    /// The changes after a position, in the order of their writes. Nothing is missing and nothing comes twice; a batch
    /// comes whole, and its last change says so. At the end it waits for the next write. What changes nothing for
    /// readers, an engine may leave out: the removal of an absent key, and a put of one with an expiry that has passed.
    ///
    /// - Parameters:
    ///   - position: The first change is the one after it; nil is the position of this call.
    ///   - range: Only changes of these keys are delivered.
    ///   - level: `.durable` delivers what no failure takes back, `.visible` what readers see.
    /// - Returns: The changes. Iterating throws `.positionUnavailable` if the engine no longer has them all;
    ///   ``StoreError/restart`` says where a feed can begin.
    func changes(after position: ChangePosition?, in range: KeyRange, level: ChangeLevel) -> Changes

    /// A view for a purpose, which says how new it has to be. By default the same as ``readView()``.
    ///
    /// - Throws: As ``readView()``, and what refreshing throws.
    nonisolated(nonsending) func readView(for purpose: ViewPurpose) async throws(StoreError) -> View
}

extension ReadableKeyValueStore {
    /// The same as ``readView()``.
    public nonisolated(nonsending) func readView(for purpose: ViewPurpose) async throws(StoreError) -> View {
        try await readView()
    }
}

/// What a view is read for.
public enum ViewPurpose: Sendable, Hashable {
    /// A transaction: the newest state that a commit would be compared with. It may show writes that aren't yet as
    /// durable as they will be when a commit returns.
    case transaction
    /// An observation: the newest state that readers can see. A store that shows an older state until it is refreshed
    /// refreshes first.
    case observation
    /// One answer, read at once: everything that was acknowledged before the call, and perhaps what was written before
    /// the first read. A remote engine saves a round trip: the first read says which moment the view shows.
    case answer
}

/// An ordered key-value store, as the typed layer needs it: Heartwood itself, or an engine on other machines.
///
/// It is little on purpose. An engine provides reads (``KeyValueReader``) of now and of one moment, one atomic write
/// with conditions, and a feed of changes. Transactions are written once over that: see
/// ``transaction(durability:_:)``. `KeyValueStoreTesting` has the tests that every engine passes.
///
/// What a layer must not assume: that sequence numbers are dense, that existence checks and counts are free, that views
/// live long, that batches are unbounded, that an expiry makes an event, that removals succeed when there is no space,
/// that calls take microseconds.
public protocol KeyValueStore: ReadableKeyValueStore {
    /// Writes a batch, all or nothing, if all its conditions hold.
    ///
    /// Conditions are evaluated on the state before the batch, in the same step that orders the batch among other
    /// writes. All operations get the same sequence number, which is greater than that of every write before. Readers
    /// see the batch when this call returns.
    ///
    /// - Parameters:
    ///   - batch: The operations. Each key occurs once. All `.after` expiries of a batch count from one moment.
    ///   - durability: What the write has to survive when this returns; nil is the engine's default. An engine may do
    ///     more than asked.
    /// - Returns: The sequence number of the write: the revision of the keys that it has set. For a batch without
    ///   operations, which only checks its conditions, that of a write that had happened.
    /// - Throws: `.conflict` if a condition doesn't hold: nothing was written. `.outcomeUnknown` if the batch may have
    ///   been written or not. `.tooLarge` if it is over the `limits`, before anything is written. `.cancelled` only if
    ///   nothing was written. `.invalidArgument`, `.closed`, `.outOfSpace` and others: nothing was written. Inside the
    ///   body of a transaction on the store it is `.invalidArgument`: see ``Transaction/checkOutside(of:)``.
    @discardableResult
    nonisolated(nonsending) func write(
        _ batch: WriteBatch, durability: Durability?
    ) async throws(StoreError) -> SequenceNumber

    /// An empty batch in the form that this store writes fastest. By default one that any store can write.
    func makeBatch() -> WriteBatch
}

extension KeyValueStore {
    /// An empty batch that any store can write.
    public func makeBatch() -> WriteBatch { WriteBatch() }

    /// Writes what `body` adds to a batch, all or nothing, if all its conditions hold.
    ///
    /// The error type is `any Error`, because `body` may throw anything. For typed errors, write a batch without a
    /// closure:
    ///
    /// ```swift
    /// func rename(_ store: Store) async throws(StoreError) {
    ///     var batch = store.makeBatch()
    ///     batch.put("new", "value", if: .absent)
    ///     batch.remove("old")
    ///     try await store.write(batch)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - durability: As of ``write(_:durability:)``.
    ///   - body: Adds operations and conditions to the batch. It is called once.
    /// - Returns: As ``write(_:durability:)``.
    /// - Throws: What `body` throws, and nothing was written then; what ``write(_:durability:)`` throws.
    @discardableResult
    public nonisolated(nonsending) func write(
        durability: Durability? = nil, _ body: (inout WriteBatch) throws -> Void
    ) async throws -> SequenceNumber {
        var batch = makeBatch()
        try body(&batch)
        return try await write(batch, durability: durability)
    }
}
