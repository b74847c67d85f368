/// The store as it is at one moment: every read of it sees the same state, whatever is written meanwhile.
///
/// Cheap to take: no copy; it waits only while a write is being added to the index. While it is held, the versions that it shows are kept in memory and on disk, so let it go
/// when it has served. Expiry is judged at the time at which it was taken.
public final class Snapshot: Sendable {
    let hold: Hold

    init(_ hold: Hold) { self.hold = hold }

    /// The number of the last write that it shows.
    public var sequence: SequenceNumber { hold.sequence }

    /// The value of a key; nil where there is none. May block on the disk.
    ///
    /// - Throws: `.invalidArgument`, `.closed`, `.corruption`, `.inputOutput`; `.tooLarge` for a compressed value over
    ///   `maximumValueBytes`.
    /// - Complexity: O(log n), and one read of the record.
    public func get(_ key: some ByteSource) throws(StoreError) -> [UInt8]? {
        try hold.reader.value(of: key)
    }

    /// The key with its value, sequence number and expiry; nil where there is none. May block on the disk.
    public func entry(_ key: some ByteSource) throws(StoreError) -> Entry? {
        try hold.reader.entry(of: key)
    }

    /// When a key expires: `.never` or `.at`; nil where the key isn't there. No I/O.
    ///
    /// - Throws: `.invalidArgument`, `.closed`.
    /// - Complexity: O(log n).
    public func expiry(of key: some ByteSource) throws(StoreError) -> Expiry? {
        try key.withByteBuffer { (key) throws(StoreError) in try hold.reader.expiry(of: key) }
    }

    /// Whether the key is there. No I/O.
    public func contains(_ key: some ByteSource) throws(StoreError) -> Bool {
        try key.withByteBuffer { (key) throws(StoreError) in try hold.reader.contains(key) }
    }

    /// The entries of a range, in order.
    public func scan(_ range: KeyRange = .all, reversed: Bool = false) -> Scan {
        Scan(hold: hold, range: range, reversed: reversed)
    }

    /// The entries whose keys begin with `prefix`, in order.
    public func scan(prefix: some ByteSource, reversed: Bool = false) -> Scan {
        scan(.prefix(prefix), reversed: reversed)
    }

    /// The keys of a range, in order, without their values. No I/O.
    ///
    /// - Throws: `.closed`. A walk that has begun isn't affected when the store is closed.
    /// - Complexity: O(log n) to begin.
    public func keys(in range: KeyRange = .all, reversed: Bool = false) throws(StoreError) -> Keys {
        if hold.log.isEnded { throw .closed }
        return Keys(hold: hold, range: range, reversed: reversed)
    }

    /// Calls `body` with the entries of a range, in order, until it says stop. May block on the disk.
    ///
    /// - Throws: What `body` throws, or `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries); records that lie close together are read together. The state is held until it
    ///   returns; no lock is held while `body` runs. Cancellation isn't looked at: say `.stop`.
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

    /// Calls `body` with the keys and values of a range, in order, until it says stop, without making arrays of them: the
    /// fastest way to see many. May block on the disk. The bytes are valid during the call only.
    ///
    /// - Throws: What `body` throws, or `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries); records that lie close together are read together. The state is held until it
    ///   returns; no lock is held while `body` runs. Cancellation isn't looked at: say `.stop`.
    public func forEachRecord(
        in range: KeyRange = .all, reversed: Bool = false,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanDecision
    ) throws {
        try lendEntries(of: range, reversed) { key, _, value, _ in try body(key.bytes, value.bytes) }
    }

    /// Calls `body` with the keys of a range, in order, until it says stop. No I/O. The bytes are valid during the call
    /// only.
    ///
    /// - Throws: What `body` throws, or `.closed`.
    /// - Complexity: O(log n + keys). The state is held until it returns; no lock is held while `body` runs. Cancellation
    ///   isn't looked at: say `.stop`.
    public func forEachKey(
        in range: KeyRange = .all, reversed: Bool = false, _ body: (_ key: RawSpan) throws -> ScanDecision
    ) throws {
        var cursor = Cursor(hold, range: range, reversed: reversed)
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

    /// The values of many keys, in the order of the keys; nil where there is none. May block on the disk.
    ///
    /// - Throws: As ``get(_:)``.
    /// - Complexity: As that of one `get` each; the records are read in the order in which they lie in the files. One key
    ///   outside the limits refuses the whole call. All the values are in memory at once.
    public func get(all keys: [some ByteSource]) throws(StoreError) -> [[UInt8]?] {
        try hold.reader.values(of: keys)
    }

    @inline(__always)
    private func lendEntries(
        of range: KeyRange, _ reversed: Bool,
        _ body: (UnsafeRawBufferPointer, Version, UnsafeRawBufferPointer, SequenceNumber) throws -> ScanDecision
    ) throws {
        let walk = RecordWalk(hold, range: range, reversed: reversed)
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
