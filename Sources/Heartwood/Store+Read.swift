internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Reading. Reads see every write that has returned. They never wait for writers, and never see a write before it is as
/// durable as requested.
///
/// Reads are synchronous, and allowed in any code. The asynchronous ones, whose names begin with `fetch`, and
/// ``scan(_:reversed:)`` don't block a thread of the cooperative pool. They run on the caller's actor. Cancellation
/// doesn't interrupt a `fetch`.
extension Store {
    var reader: Reader { Reader(image: image, point: .latest) }

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
    public func get(_ key: some ByteSource) throws(StoreError) -> [UInt8]? {
        try key.withByteBuffer { (key) throws(StoreError) in try value(of: key) }
    }

    @usableFromInline
    func value(of key: UnsafeRawBufferPointer) throws(StoreError) -> [UInt8]? {
        try reader.withValue(of: key) { [UInt8]($0) }
    }

    /// Returns the values of many keys, in the order of the keys; nil for a key that has none. All values are read at
    /// one read point. May block on the disk.
    ///
    /// - Throws: As ``get(_:)``. One key outside the limits refuses the whole call.
    /// - Complexity: As one `get` for each key. The records are read in the order of the files. All values are in
    ///   memory at once.
    public func get(all keys: [some ByteSource]) throws(StoreError) -> [[UInt8]?] {
        try readView().get(all: keys)
    }

    /// Returns the value of a key; nil if there is none. Doesn't block a thread of the cooperative pool.
    ///
    /// A record that the system has in memory is read on the caller's thread, in about the time of ``get(_:)``. One
    /// that must come from the disk is read on another thread. A loop of this call yields to other tasks about once a
    /// millisecond. Cancellation doesn't interrupt it.
    ///
    /// ```swift
    /// let name = try await store.fetch("user:1") ?? []
    /// ```
    ///
    /// - Throws: As ``get(_:)``.
    /// - Complexity: As ``get(_:)``.
    @inlinable
    public nonisolated(nonsending) func fetch(_ key: some ByteSource) async throws(StoreError) -> [UInt8]? {
        let attempt = try key.withByteBuffer { (key) throws(StoreError) in try attemptFetch(of: key) }
        // Returns without calling an asynchronous function if there is nothing to wait for.
        if case .done(let value) = attempt { return value }
        return try await finishFetch(attempt, key.byteArray)
    }

    @usableFromInline
    func attemptFetch(of key: UnsafeRawBufferPointer) throws(StoreError) -> ReadAttempt<[UInt8]?> {
        try reader.attemptValue(of: key)
    }

    @usableFromInline
    nonisolated(nonsending) func finishFetch(
        _ attempt: ReadAttempt<[UInt8]?>, _ key: [UInt8]
    ) async throws(StoreError) -> [UInt8]? {
        try await reader.finish(attempt, key)
    }

    /// As ``get(all:)``, without blocking a thread of the cooperative pool. See ``fetch(_:)``.
    ///
    /// ```swift
    /// let names = try await store.fetch(all: ["user:1", "user:2"])
    /// ```
    ///
    /// - Throws: As ``get(_:)``. One key outside the limits refuses the whole call.
    /// - Complexity: As ``get(all:)``.
    public nonisolated(nonsending) func fetch(all keys: [some ByteSource]) async throws(StoreError) -> [[UInt8]?] {
        try await readView().fetch(all: keys)
    }

    /// Returns the key with its value, sequence number and expiry; nil if there is none. May block on the disk.
    ///
    /// - Throws: As ``get(_:)``.
    /// - Complexity: As ``get(_:)``.
    public func entry(_ key: some ByteSource) throws(StoreError) -> Entry? {
        try reader.entry(of: key)
    }

    /// As ``entry(_:)``, without blocking a thread of the cooperative pool. See ``fetch(_:)``.
    ///
    /// ```swift
    /// let number = try await store.fetchEntry("user:1")?.sequence
    /// ```
    ///
    /// - Throws: As ``get(_:)``.
    /// - Complexity: As ``get(_:)``.
    public nonisolated(nonsending) func fetchEntry(_ key: some ByteSource) async throws(StoreError) -> Entry? {
        try await reader.fetchEntry(of: key)
    }

    /// Calls `body` with the bytes of a value, without copying them into an array. Returns nil if the key doesn't
    /// exist.
    ///
    /// May block on the disk. The bytes are valid only during the call. Compressed values are decompressed first.
    /// `body` may take as long as it likes: it delays neither writes nor compactions.
    ///
    /// - Throws: As ``get(_:)``, or what `body` throws.
    /// - Complexity: As ``get(_:)``.
    @inlinable
    public func withValue<R>(_ key: some ByteSource, _ body: (RawSpan) throws -> R) throws -> R? {
        try withEntry(key) { value, _, _ in try body(value) }
    }

    /// As ``withValue(_:_:)``, with the sequence number of the write that set the value, and when it expires; nil for
    /// never.
    ///
    /// ```swift
    /// let isNew = try store.withEntry("user:1") { value, sequence, expires in sequence > lastSeen } ?? false
    /// ```
    ///
    /// - Throws: As ``get(_:)``, or what `body` throws.
    /// - Complexity: As ``get(_:)``.
    @inlinable
    public func withEntry<R>(
        _ key: some ByteSource,
        _ body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) throws -> R
    ) throws -> R? {
        var result: Result<R, any Error>?
        try key.withByteBuffer { (key) throws(StoreError) in
            try lendEntry(of: key) { value, sequence, expires in
                result = Result { try body(value, sequence, expires) }
            }
        }
        return try result?.get()
    }

    /// Not generic, so that it is compiled in this module.
    @usableFromInline
    func lendEntry(
        of key: UnsafeRawBufferPointer, _ body: (RawSpan, SequenceNumber, Timestamp?) -> Void
    ) throws(StoreError) {
        try reader.lendEntry(of: key, body)
    }

    /// Returns whether a key exists. Never blocks on the disk.
    ///
    /// - Throws: `.invalidArgument`, `.closed`.
    /// - Complexity: O(log n).
    public func contains(_ key: some ByteSource) throws(StoreError) -> Bool {
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
    public func expiry(of key: some ByteSource) throws(StoreError) -> Expiry? {
        try key.withByteBuffer { (key) throws(StoreError) in try reader.expiry(of: key) }
    }

    /// Returns a read view: the store as it is now, for any number of reads. Versions and files that it needs are kept
    /// until it is released.
    ///
    /// - Throws: `.closed`.
    public func readView() throws(StoreError) -> ReadView {
        if image.isClosed { throw .closed }
        return ReadView(ReadPin(image))
    }
}
