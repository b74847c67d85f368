internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Reading. Reads see every write that has returned. They never wait for writers, and never see a write before it is as
/// durable as requested.
///
/// Reads are synchronous, and allowed in any code. ``fetch(_:)`` and ``scan(_:reversed:)`` don't block a thread of the
/// cooperative pool.
extension Store {
    private nonisolated var reader: Reader { Reader(log: log, point: .latest) }

    /// Returns the value of a key; nil if there is none.
    ///
    /// May block on the disk: in a task that must not block, use ``fetch(_:)``. A long loop of this call in a task
    /// occupies a thread of Swift's cooperative pool, which has only as many threads as processors, and other tasks of
    /// the process wait for it. In such a loop use ``fetch(_:)`` or ``get(all:)``, or call `await Task.yield()` from
    /// time to time.
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

    /// Returns the values of many keys, in the order of the keys; nil for a key that has none. All values are read at
    /// one read point. May block on the disk.
    ///
    /// - Throws: As ``get(_:)``. One key outside the limits refuses the whole call.
    /// - Complexity: As one `get` for each key. The records are read in the order of the files. All values are in
    ///   memory at once.
    public nonisolated func get(all keys: [some ByteSource]) throws(StoreError) -> [[UInt8]?] {
        try readView().get(all: keys)
    }

    /// Returns the value of a key; nil if there is none. Reads off the cooperative pool. Cancellation doesn't interrupt
    /// it.
    ///
    /// - Throws: As ``get(_:)``.
    public nonisolated(nonsending) func fetch(_ key: some ByteSource) async throws(StoreError) -> [UInt8]? {
        let key = key.byteArray
        let reader = reader
        return try await BlockingPool.run { () throws(StoreError) in try reader.value(of: key) }
    }

    /// Returns the key with its value, sequence number and expiry; nil if there is none. May block on the disk.
    ///
    /// - Throws: As ``get(_:)``.
    public nonisolated func entry(_ key: some ByteSource) throws(StoreError) -> Entry? {
        try reader.entry(of: key)
    }

    /// Calls `body` with the bytes of a value, without copying them into an array. Returns nil if the key doesn't
    /// exist.
    ///
    /// May block on the disk. The bytes are valid only during the call. Compressed values are decompressed first.
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

    /// Not generic, so that it is compiled in this module.
    @usableFromInline
    nonisolated func lendValue(
        of key: UnsafeRawBufferPointer, _ body: (RawSpan) -> Void
    ) throws(StoreError) {
        _ = try reader.withValue(of: key) { value in body(value.bytes) }
    }

    /// Returns whether a key exists. Never blocks on the disk.
    ///
    /// - Throws: `.invalidArgument`, `.closed`.
    /// - Complexity: O(log n).
    public nonisolated func contains(_ key: some ByteSource) throws(StoreError) -> Bool {
        try key.withByteBuffer { (key) throws(StoreError) in try reader.contains(key) }
    }

    /// Returns when a key expires: `.never` or `.at`; nil if the key doesn't exist. Never blocks on the disk.
    ///
    /// ```swift
    /// let end = try store.expiry(of: "session:1")?.timestamp
    /// ```
    ///
    /// - Throws: `.invalidArgument`, `.closed`.
    /// - Complexity: O(log n): the index has the expiry, so the value isn't read.
    public nonisolated func expiry(of key: some ByteSource) throws(StoreError) -> Expiry? {
        try key.withByteBuffer { (key) throws(StoreError) in try reader.expiry(of: key) }
    }

    /// Returns a read view: the store as it is now, for any number of reads. Versions and files that it needs are kept
    /// until it is released.
    ///
    /// - Throws: `.closed`.
    public nonisolated func readView() throws(StoreError) -> ReadView {
        if log.isEnded { throw .closed }
        return ReadView(ReadPin(log))
    }

    /// The entries of a range, in order, as they are now.
    ///
    /// - Complexity: O(log n) to begin; each entry costs one read.
    public nonisolated func scan(_ range: KeyRange = .all, reversed: Bool = false) -> Scan {
        Scan(pin: ReadPin(log), range: range, reversed: reversed)
    }

    /// The entries whose keys begin with `prefix`, in order, as they are now.
    public nonisolated func scan(prefix: some ByteSource, reversed: Bool = false) -> Scan {
        scan(.prefix(prefix), reversed: reversed)
    }

    /// The entries with keys from `lower` up to but not including `upper`, in order, as they are now.
    public nonisolated func scan(from lower: some ByteSource, to upper: some ByteSource, reversed: Bool = false) -> Scan
    {
        scan(.range(from: lower, to: upper), reversed: reversed)
    }

    /// The keys of a range, in order, as they are now, without their values. Never blocks on the disk.
    ///
    /// - Throws: `.closed`. Closing the store doesn't affect an iteration that has begun.
    /// - Complexity: O(log n) to begin.
    public nonisolated func keys(in range: KeyRange = .all, reversed: Bool = false) throws(StoreError) -> Keys {
        try readView().keys(in: range, reversed: reversed)
    }

    /// Calls `body` with the entries of a range, in order, until `body` returns `.stop`. May block on the disk.
    ///
    /// - Throws: What `body` throws, or `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries). Records that are close together are read together. A read pin is kept until
    ///   the call returns; no lock is held while `body` runs. Cancellation isn't checked: return `.stop`.
    public nonisolated func forEach(
        in range: KeyRange = .all, reversed: Bool = false, _ body: (Entry) throws -> ScanDecision
    ) throws {
        try readView().forEach(in: range, reversed: reversed, body)
    }

    /// Calls `body` with the keys and values of a range, in order, until `body` returns `.stop`, without copying them
    /// into arrays. This is the fastest way to read many entries. May block on the disk. The bytes are valid only
    /// during the call of `body`.
    ///
    /// - Throws: What `body` throws, or `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries). Records that are close together are read together. A read pin is kept until
    ///   the call returns; no lock is held while `body` runs. Cancellation isn't checked: return `.stop`.
    public nonisolated func forEachRecord(
        in range: KeyRange = .all, reversed: Bool = false,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanDecision
    ) throws {
        try readView().forEachRecord(in: range, reversed: reversed, body)
    }

    /// Calls `body` with the keys of a range, in order, until `body` returns `.stop`. Never blocks on the disk. The
    /// bytes are valid only during the call of `body`.
    ///
    /// - Throws: What `body` throws, or `.closed`.
    /// - Complexity: O(log n + keys). A read pin is kept until the call returns; no lock is held while `body` runs.
    ///   Cancellation isn't checked: return `.stop`.
    public nonisolated func forEachKey(
        in range: KeyRange = .all, reversed: Bool = false, _ body: (_ key: RawSpan) throws -> ScanDecision
    ) throws {
        try readView().forEachKey(in: range, reversed: reversed, body)
    }

    /// The contents and the activity of the store. O(1).
    public nonisolated var statistics: Statistics {
        let index = log.index.statistics
        let log = log
        let (compaction, pinnedFiles) = log.compactionControl.state.withState { ($0.statistics, $0.pinnedFiles) }
        let retained = log.compactionControl.retained.withLock { $0.reduce(0) { $0 + $1.bytes } }
        let holds = log.compactionControl.holds.withLock { $0.count }
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
                pinnedFiles: pinnedFiles,
                retainedLogBytes: retained,
                logHolds: holds,
                pinnedStates: index.readPoints,
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
