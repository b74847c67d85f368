/// Reading. Reads see every write that has returned. They never wait for writers, and never see a write before it is as
/// durable as requested.
///
/// `get` and its family (``LocalReader``) don't suspend, and are allowed in any code. `fetch` and its family
/// (``KeyValueReader``), and the iteration over a ``Scan``, don't block a thread of the cooperative pool. They run on
/// the caller's actor. Cancellation doesn't interrupt a `fetch`.
extension Store: ImageReader {
    var reader: Reader { Reader(image: image, point: .latest) }

    func readPin() throws(StoreError) -> ReadPin {
        if image.isClosed { throw .closed }
        return ReadPin(image)
    }

    /// Returns the value of a key; nil if there is none.
    ///
    /// May block on the disk: in a task that must not block, use ``fetch(_:)``. A long loop of this call in a task
    /// occupies a thread of Swift's cooperative pool, which has only as many threads as processors, and other tasks of
    /// the process wait for it. In such a loop use ``fetch(_:)``, or call `await Task.yield()` from time to time.
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

    /// See ``LocalReader/lendEntry(of:to:)``. Here, because it costs 40 instructions more in the protocol's extension.
    @inlinable
    public func lendEntry(
        of key: RawSpan, to body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) -> Void
    ) throws(StoreError) {
        try key.withUnsafeBytes { (key) throws(StoreError) in try lendEntry(key, body) }
    }

    @usableFromInline
    func lendEntry(
        _ key: UnsafeRawBufferPointer, _ body: (RawSpan, SequenceNumber, Timestamp?) -> Void
    ) throws(StoreError) {
        try reader.lendEntry(of: key, body)
    }

    package nonisolated(nonsending) func lendEntry(
        _ key: [UInt8], to body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) -> Void
    ) async throws(StoreError) -> Bool {
        try await reader.fetchEntry(of: key, lendingTo: body)
    }

    /// The entries of a range, in key order, as they are now: at most `limit`. See ``Scan``.
    ///
    /// - Parameters:
    ///   - range: The keys.
    ///   - reversed: Whether it begins with the last key.
    ///   - limit: How many entries it has at most.
    /// - Complexity: O(log n) to begin; each entry costs one read.
    public func scan(_ range: KeyRange = .all, reversed: Bool = false, limit: Int = .max) -> Scan {
        Scan(pin: ReadPin(image), range: range, reversed: reversed, limit: limit)
    }

    /// Returns a read view: the store as it is now, for any number of reads. Versions and files that it needs are kept
    /// until it is released.
    ///
    /// - Throws: `.closed`.
    public func readView() throws(StoreError) -> ReadView { ReadView(try readPin()) }
}
