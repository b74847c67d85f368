/// A read view: the store as it was at one point in time. All reads of it see the same state, even after later writes.
///
/// Cheap to make: it copies nothing, and waits only while another thread is adding a write to the index. It keeps the
/// versions that it shows in memory and on disk, so release it promptly. Expiry is judged at the time at which the view
/// was made.
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

    /// The key with its value, sequence number and expiry; nil if the key is absent. May block on the disk.
    ///
    /// - Throws: As ``get(_:)``.
    /// - Complexity: O(log n), and one read of the record.
    public func entry(_ key: some ByteSource) throws(StoreError) -> Entry? {
        try pin.reader.entry(of: key)
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

    /// The entries of a range, in key order.
    public func scan(_ range: KeyRange = .all, reversed: Bool = false) -> Scan {
        Scan(pin: pin, range: range, reversed: reversed)
    }

    /// The entries whose keys begin with `prefix`, in key order.
    public func scan(prefix: some ByteSource, reversed: Bool = false) -> Scan {
        scan(.prefix(prefix), reversed: reversed)
    }

    /// The keys of a range, in order, without values. No I/O.
    ///
    /// - Throws: `.closed`. Closing the store doesn't affect a walk that has started.
    /// - Complexity: O(log n) to start.
    public func keys(in range: KeyRange = .all, reversed: Bool = false) throws(StoreError) -> Keys {
        if pin.log.isEnded { throw .closed }
        return Keys(pin: pin, range: range, reversed: reversed)
    }

    /// Calls `body` with the entries of a range, in key order, until it returns `.stop`. May block on the disk.
    ///
    /// - Throws: What `body` throws, or `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries); records that are close together are read together. The state is pinned until
    ///   the call returns. No lock is held while `body` runs. Cancellation isn't checked: return `.stop` instead.
    public func forEach(
        in range: KeyRange = .all, reversed: Bool = false, _ body: (Entry) throws -> ScanDecision
    ) throws {
        try lendEntries(of: range, reversed) { key, version, value, sequence in
            try body(
                Entry(
                    key: [UInt8](key), value: [UInt8](value), sequence: sequence,
                    expires: version.expiry == 0 ? nil : Timestamp(milliseconds: version.expiry)))
        }
    }

    /// Calls `body` with the keys and values of a range, in key order, until it returns `.stop`. It makes no arrays, so
    /// it is the fastest way to read many entries. May block on the disk. The bytes are valid only during the call of
    /// `body`.
    ///
    /// - Throws: What `body` throws, or `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries); records that are close together are read together. The state is pinned until
    ///   the call returns. No lock is held while `body` runs. Cancellation isn't checked: return `.stop` instead.
    public func forEachRecord(
        in range: KeyRange = .all, reversed: Bool = false,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanDecision
    ) throws {
        try lendEntries(of: range, reversed) { key, _, value, _ in try body(key.bytes, value.bytes) }
    }

    /// Calls `body` with the keys of a range, in order, until it returns `.stop`. No I/O. The bytes are valid only
    /// during the call of `body`.
    ///
    /// - Throws: What `body` throws, or `.closed`.
    /// - Complexity: O(log n + keys). The state is pinned until the call returns. No lock is held while `body` runs.
    ///   Cancellation isn't checked: return `.stop` instead.
    public func forEachKey(
        in range: KeyRange = .all, reversed: Bool = false, _ body: (_ key: RawSpan) throws -> ScanDecision
    ) throws {
        var cursor = Cursor(pin, range: range, reversed: reversed)
        let page = KeyPage()
        while try cursor.next(page) {
            let count = page.count
            var index = 0
            while index < count {
                if try body(page.lentKey(index).bytes) == .stop { return }
                index &+= 1
            }
        }
    }

    /// The values of many keys, in the order of `keys`; nil for an absent key. May block on the disk.
    ///
    /// - Throws: As ``get(_:)``. One key outside the limits fails the whole call.
    /// - Complexity: As one `get` for each key. Records are read in the order in which they are in the files. All
    ///   values are in memory at the same time.
    public func get(all keys: [some ByteSource]) throws(StoreError) -> [[UInt8]?] {
        try pin.reader.values(of: keys)
    }

    @inline(__always)
    private func lendEntries(
        of range: KeyRange, _ reversed: Bool,
        _ body: (UnsafeRawBufferPointer, Version, UnsafeRawBufferPointer, SequenceNumber) throws -> ScanDecision
    ) throws {
        let walk = RecordWalk(pin, range: range, reversed: reversed)
        var failure: (any Error)?
        try walk.forEach { key, version, value, sequence in
            do {
                return try body(key, version, value, sequence) == .next
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }
}
