/// Reads without suspension: of a store of this machine, of a view of it, and of a transaction on it.
///
/// These calls are allowed in any code, and may block on the disk. A long loop of them in a task occupies a thread of
/// Swift's cooperative pool, which has only as many threads as processors, and other tasks of the process wait for it.
/// In such a loop use the calls of ``KeyValueReader``, or call `await Task.yield()` from time to time.
///
/// All calls throw `.invalidArgument` for a key outside the limits and `.closed`; those that read a value also
/// `.corruption` and `.inputOutput`, and `.tooLarge` for a compressed value over `maximumValueBytes`.
public protocol LocalReader: KeyValueReader {
    /// The value of a key; nil if it is absent. May block on the disk.
    ///
    /// - Complexity: O(log n), and one read of the record.
    func get(_ key: some ByteSource) throws(StoreError) -> [UInt8]?

    /// What ``withEntry(_:_:)`` is made of: calls `body` with the value, if the key exists.
    func lendEntry(
        of key: RawSpan, to body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) -> Void
    ) throws(StoreError)

    /// When a key expires: `.never` or `.at`; nil if it is absent. Never blocks on the disk.
    ///
    /// ```swift
    /// let end = try store.expiry(of: "session:1")?.timestamp
    /// ```
    ///
    /// - Complexity: O(log n): the index has the expiry, so the value isn't read.
    func expiry(of key: some ByteSource) throws(StoreError) -> Expiry?
}

extension LocalReader {
    /// Calls `body` with the bytes of a value, the number of the write that set it, and when it expires (nil for
    /// never), without copying them into an array. Returns nil if the key is absent.
    ///
    /// ```swift
    /// let isNew = try store.withEntry("user:1") { value, sequence, expires in sequence > lastSeen } ?? false
    /// ```
    ///
    /// May block on the disk. The bytes are valid only during the call. Compressed values are decompressed first.
    /// `body` may take as long as it likes: it delays neither writes nor compactions.
    ///
    /// - Throws: What the reads throw, or what `body` throws.
    /// - Complexity: As ``get(_:)``.
    @inlinable
    public func withEntry<R>(
        _ key: some ByteSource,
        _ body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) throws -> R
    ) throws -> R? {
        var result: Result<R, any Error>?
        try key.withByteBuffer { (key) throws(StoreError) in
            try lendEntry(of: key.bytes) { value, sequence, expires in
                result = Result { try body(value, sequence, expires) }
            }
        }
        return try result?.get()
    }

    /// The key with its value, sequence number and expiry; nil if it is absent. May block on the disk.
    ///
    /// - Complexity: As ``get(_:)``.
    public func entry(_ key: some ByteSource) throws(StoreError) -> Entry? {
        var entry: Entry?
        try key.withByteBuffer { (key) throws(StoreError) in
            try lendEntry(of: key.bytes) { value, sequence, expires in
                entry = Entry(
                    key: [UInt8](key), value: value.withUnsafeBytes { [UInt8]($0) }, sequence: sequence,
                    expires: expires)
            }
        }
        return entry
    }

    /// Whether a key exists. Never blocks on the disk.
    ///
    /// - Complexity: O(log n).
    public func contains(_ key: some ByteSource) throws(StoreError) -> Bool { try expiry(of: key) != nil }
}

/// A view whose reads wait for no other machine. They may block on a disk.
package protocol LocalKeyValueView: KeyValueView, LocalReader {
    func get(all keys: [[UInt8]]) throws(StoreError) -> [[UInt8]?]
    func entries(in range: KeyRange, reversed: Bool, limit: Int) throws(StoreError) -> EntryPage
    func firstKeys(in range: KeyRange, limit: Int) throws(StoreError) -> [[UInt8]]
    func count(in range: KeyRange) throws(StoreError) -> Int
}
