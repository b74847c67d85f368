package import HeartwoodFormat

/// A read view: the store as it was at one point in time. All reads of it see the same state, even after later writes.
///
/// Cheap to make: it copies nothing, and waits only while another thread is adding a write to the index. It keeps the
/// versions that it shows in memory and on disk, so release it promptly. Expiry is judged at the time at which the view
/// was made.
///
/// After `Store.close()`, or `ReadOnlyStore.close()`, its reads throw `.closed`: let them end before. If the store
/// object is only released, the view reads on, and holds the files that it reads until it is released itself.
public final class ReadView: Sendable {
    let pin: ReadPin

    init(_ pin: ReadPin) { self.pin = pin }

    /// The sequence number of the last write that it shows.
    public var sequence: SequenceNumber { pin.sequence }

    /// The value of a key; nil if the key is absent. May block on the disk.
    ///
    /// - Throws: `.invalidArgument`, `.closed`, `.corruption`, `.inputOutput`; `.tooLarge` for a compressed value over
    ///   `maximumValueBytes`.
    /// - Complexity: O(log n), and one read of the record.
    public func get(_ key: some ByteSource) throws(StoreError) -> [UInt8]? {
        try pin.reader.value(of: key)
    }

    /// As ``get(_:)``, without blocking a thread of the cooperative pool. See ``Store/fetch(_:)``.
    ///
    /// - Throws: As ``get(_:)``. Cancellation doesn't interrupt it.
    /// - Complexity: As ``get(_:)``.
    public nonisolated(nonsending) func fetch(_ key: some ByteSource) async throws(StoreError) -> [UInt8]? {
        try await pin.reader.fetchValue(of: key)
    }

    /// The key with its value, sequence number and expiry; nil if the key is absent. May block on the disk.
    ///
    /// - Throws: As ``get(_:)``.
    /// - Complexity: O(log n), and one read of the record.
    public func entry(_ key: some ByteSource) throws(StoreError) -> Entry? {
        try pin.reader.entry(of: key)
    }

    /// As ``entry(_:)``, without blocking a thread of the cooperative pool. See ``Store/fetch(_:)``.
    ///
    /// - Throws: As ``get(_:)``. Cancellation doesn't interrupt it.
    /// - Complexity: As ``get(_:)``.
    public nonisolated(nonsending) func fetchEntry(_ key: some ByteSource) async throws(StoreError) -> Entry? {
        try await pin.reader.fetchEntry(of: key)
    }

    /// Calls `body` with the bytes of a value, without copying them into an array. Returns nil if the key is absent.
    /// May block on the disk. The bytes are valid only during the call. See ``Store/withValue(_:_:)``.
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
        try pin.reader.lendEntry(of: key, body)
    }

    /// The value of a key as it is stored, of any length, and its entry without the value; nil if the key is absent.
    /// May block on the disk.
    ///
    /// - Throws: As ``get(_:)``, but not `.tooLarge`.
    package func storedValue(of key: [UInt8]) throws(StoreError) -> (entry: Entry, value: StoredValue)? {
        try pin.reader.storedValue(of: key)
    }

    /// The expiry of a key: `.never` or `.at`; nil if the key is absent. No I/O.
    ///
    /// - Throws: `.invalidArgument`, `.closed`.
    /// - Complexity: O(log n).
    public func expiry(of key: some ByteSource) throws(StoreError) -> Expiry? {
        try key.withByteBuffer { (key) throws(StoreError) in try pin.reader.expiry(of: key) }
    }

    /// Whether the key is present. No I/O.
    ///
    /// - Throws: `.invalidArgument`, `.closed`.
    /// - Complexity: O(log n).
    public func contains(_ key: some ByteSource) throws(StoreError) -> Bool {
        try key.withByteBuffer { (key) throws(StoreError) in try pin.reader.contains(key) }
    }

    /// The values of many keys, in the order of `keys`; nil for an absent key. May block on the disk.
    ///
    /// - Throws: As ``get(_:)``. One key outside the limits fails the whole call.
    /// - Complexity: As one `get` for each key. Records are read in the order in which they are in the files. All
    ///   values are in memory at the same time.
    public func get(all keys: [some ByteSource]) throws(StoreError) -> [[UInt8]?] {
        try pin.reader.values(of: keys)
    }

    /// As ``get(all:)``, without blocking a thread of the cooperative pool. See ``Store/fetch(_:)``.
    ///
    /// - Throws: As ``get(_:)``. One key outside the limits fails the whole call. Cancellation doesn't interrupt it.
    /// - Complexity: As ``get(all:)``.
    public nonisolated(nonsending) func fetch(all keys: [some ByteSource]) async throws(StoreError) -> [[UInt8]?] {
        try await pin.reader.fetchValues(of: keys)
    }
}

extension ReadView: KeyValueView {
    /// As ``fetch(all:)``, with sequence numbers and expiries.
    ///
    /// - Throws: As ``get(_:)``. One key outside the limits fails the whole call. Cancellation doesn't interrupt it.
    /// - Complexity: As ``get(all:)``.
    public nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        try await pin.reader.fetchEntries(of: keys)
    }

    /// As ``withEntry(_:_:)``, without blocking a thread of the cooperative pool. See ``Store/fetch(_:)``.
    ///
    /// - Returns: False if the key is absent; `body` isn't called then.
    /// - Throws: As ``get(_:)``.
    /// - Complexity: As ``get(_:)``.
    public nonisolated(nonsending) func lendEntry(
        _ key: [UInt8], to body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) -> Void
    ) async throws(StoreError) -> Bool {
        try await pin.reader.fetchEntry(of: key, lendingTo: body)
    }
}
