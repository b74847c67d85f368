internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Reading. Reads see every write that has returned, never queue behind writers, and never see a write before it is as
/// durable as it was asked to be.
///
/// Synchronous, and allowed in any code; ``fetch(_:)`` and ``scan(_:reversed:)`` are the forms that don't block a thread of the
/// cooperative pool.
extension Store {
    private nonisolated var reader: Reader { Reader(log: log, point: .latest) }

    /// The value of a key; nil where there is none.
    ///
    /// May block on the disk: in a task that must not, use ``fetch(_:)``. A long loop of this call in a task keeps a thread of
    /// Swift's pool, of which there are only as many as processors, and the other tasks of the process wait for it meanwhile:
    /// such a loop uses ``fetch(_:)`` or ``get(all:)``, or calls `await Task.yield()` now and then.
    ///
    /// - Throws: `.invalidArgument`, `.closed`, `.corruption`, `.inputOutput`; `.tooLarge` for a compressed value over
    ///   `maximumValueBytes`.
    /// - Complexity: O(log n), and one read of the record.
    @inlinable
    public nonisolated func get(_ key: some ByteSource) throws(StoreError) -> [UInt8]? {
        try key.withByteBuffer { (key) throws(StoreError) in try value(of: key) }
    }

    @usableFromInline
    nonisolated func value(of key: UnsafeRawBufferPointer) throws(StoreError) -> [UInt8]? {
        try reader.withValue(of: key) { [UInt8]($0) }
    }

    /// The values of many keys, in the order of the keys; nil where there is none. All of them are of one state. May block
    /// on the disk.
    ///
    /// - Throws: As ``get(_:)``.
    /// - Complexity: As that of one `get` each; the records are read in the order in which they lie in the files. One key
    ///   outside the limits refuses the whole call. All the values are in memory at once.
    public nonisolated func get(all keys: [some ByteSource]) throws(StoreError) -> [[UInt8]?] {
        try snapshot().get(all: keys)
    }

    /// The value of a key; nil where there is none. Reads off the cooperative pool; cancellation doesn't interrupt it.
    ///
    /// - Throws: As ``get(_:)``.
    public nonisolated(nonsending) func fetch(_ key: some ByteSource) async throws(StoreError) -> [UInt8]? {
        let key = key.byteArray
        let reader = reader
        return try await BlockingPool.run { () throws(StoreError) in try reader.value(of: key) }
    }

    /// The key with its value, sequence number and expiry; nil where there is none. May block on the disk.
    ///
    /// - Throws: As ``get(_:)``.
    public nonisolated func entry(_ key: some ByteSource) throws(StoreError) -> Entry? {
        try reader.entry(of: key)
    }

    /// Calls `body` with the bytes of a value, without making an array of them; nil where the key isn't there.
    ///
    /// May block on the disk. The bytes are valid during the call only; compressed values are decompressed first.
    ///
    /// - Throws: As ``get(_:)``, or what `body` throws.
    /// - Complexity: As ``get(_:)``.
    @inlinable
    public nonisolated func withValue<R>(_ key: some ByteSource, _ body: (RawSpan) throws -> R) throws -> R? {
        var result: Result<R, any Error>?
        try key.withByteBuffer { (key) throws(StoreError) in
            try lendValue(of: key) { value in result = Result { try body(value) } }
        }
        return try result?.get()
    }

    /// Not generic, so that it is compiled for what it does.
    @usableFromInline
    nonisolated func lendValue(
        of key: UnsafeRawBufferPointer, _ body: (RawSpan) -> Void
    ) throws(StoreError) {
        _ = try reader.withValue(of: key) { value in body(value.bytes) }
    }

    /// Whether a key is there. Never blocks on the disk.
    ///
    /// - Throws: `.invalidArgument`, `.closed`.
    /// - Complexity: O(log n).
    public nonisolated func contains(_ key: some ByteSource) throws(StoreError) -> Bool {
        try key.withByteBuffer { (key) throws(StoreError) in try reader.contains(key) }
    }

    /// When a key expires: `.never` or `.at`; nil where the key isn't there. Never blocks on the disk.
    ///
    /// ```swift
    /// let end = try store.expiry(of: "session:1")?.timestamp
    /// ```
    ///
    /// - Throws: `.invalidArgument`, `.closed`.
    /// - Complexity: O(log n): the index has it, so the value isn't read.
    public nonisolated func expiry(of key: some ByteSource) throws(StoreError) -> Expiry? {
        try key.withByteBuffer { (key) throws(StoreError) in try reader.expiry(of: key) }
    }

    /// The store as it is now, to read from as often as you like.
    ///
    /// - Throws: `.closed`.
    public nonisolated func snapshot() throws(StoreError) -> Snapshot {
        if log.isEnded { throw .closed }
        return Snapshot(Hold(log))
    }

    /// The entries of a range, in order, as they are now.
    ///
    /// - Complexity: O(log n) to begin; each entry costs one read.
    public nonisolated func scan(_ range: KeyRange = .all, reversed: Bool = false) -> Scan {
        Scan(hold: Hold(log), range: range, reversed: reversed)
    }

    /// The entries whose keys begin with `prefix`, in order, as they are now.
    public nonisolated func scan(prefix: some ByteSource, reversed: Bool = false) -> Scan {
        scan(.prefix(prefix), reversed: reversed)
    }

    /// The entries with keys from `lower` on, up to `upper` and without it, in order, as they are now.
    public nonisolated func scan(from lower: some ByteSource, to upper: some ByteSource, reversed: Bool = false) -> Scan
    {
        scan(.range(from: lower, to: upper), reversed: reversed)
    }

    /// The keys of a range, in order, as they are now, without their values. Never blocks on the disk.
    ///
    /// - Throws: `.closed`. A walk that has begun isn't affected when the store is closed.
    /// - Complexity: O(log n) to begin.
    public nonisolated func keys(in range: KeyRange = .all, reversed: Bool = false) throws(StoreError) -> Keys {
        try snapshot().keys(in: range, reversed: reversed)
    }

    /// Calls `body` with the entries of a range, in order, until it says stop. May block on the disk.
    ///
    /// - Throws: What `body` throws, or `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries); records that lie close together are read together. The state is held until it
    ///   returns; no lock is held while `body` runs. Cancellation isn't looked at: say `.stop`.
    public nonisolated func forEach(
        in range: KeyRange = .all, reversed: Bool = false, _ body: (Entry) throws -> ScanDecision
    ) throws {
        try snapshot().forEach(in: range, reversed: reversed, body)
    }

    /// Calls `body` with the keys and values of a range, in order, until it says stop, without making arrays of them: the
    /// fastest way to see many. May block on the disk. The bytes are valid during the call only.
    ///
    /// - Throws: What `body` throws, or `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries); records that lie close together are read together. The state is held until it
    ///   returns; no lock is held while `body` runs. Cancellation isn't looked at: say `.stop`.
    public nonisolated func forEachRecord(
        in range: KeyRange = .all, reversed: Bool = false,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanDecision
    ) throws {
        try snapshot().forEachRecord(in: range, reversed: reversed, body)
    }

    /// Calls `body` with the keys of a range, in order, until it says stop. Never blocks on the disk. The bytes are valid
    /// during the call only.
    ///
    /// - Throws: What `body` throws, or `.closed`.
    /// - Complexity: O(log n + keys). The state is held until it returns; no lock is held while `body` runs. Cancellation
    ///   isn't looked at: say `.stop`.
    public nonisolated func forEachKey(
        in range: KeyRange = .all, reversed: Bool = false, _ body: (_ key: RawSpan) throws -> ScanDecision
    ) throws {
        try snapshot().forEachKey(in: range, reversed: reversed, body)
    }

    /// What the store holds and has done. O(1).
    public nonisolated var statistics: Statistics {
        let index = log.index.statistics
        let log = log
        let (compaction, heldFiles) = log.compaction.state.withState { ($0.statistics, $0.heldFiles) }
        return log.withState { state in
            Statistics(
                state: state.publicState,
                keys: index.keys,
                versions: index.versions,
                indexBytes: index.bytes,
                liveBytes: index.liveBytes,
                logBytes: state.logBytes,
                snapshotBytes: compaction.snapshot?.bytes ?? 0,
                segments: log.segments.count,
                heldFiles: heldFiles,
                heldStates: index.heldPoints,
                lastSequence: state.commits.pipeline.lastSequence,
                visibleSequence: state.commits.pipeline.visible,
                syncedSequence: state.commits.pipeline.syncedSequence,
                batches: state.counters.batches,
                records: state.counters.records,
                acceptedBytes: state.counters.acceptedBytes,
                commits: state.counters.commits,
                writtenBytes: state.counters.writtenBytes,
                syncs: state.counters.syncs,
                rotations: state.counters.rotations,
                logWriting: state.commits.logWriting,
                compaction: compaction)
        }
    }
}
