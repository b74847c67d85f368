/// The store as it is at one moment: every read of it sees the same state, whatever is written meanwhile.
///
/// Costs nothing to take. While it is held, the versions that it shows are kept in memory and on disk, so let it go
/// when it has served. Expiry is judged at the time at which it was taken.
public final class Snapshot: Sendable {
    let hold: Hold

    init(_ hold: Hold) { self.hold = hold }

    /// The number of the last write that it shows.
    public var sequence: SequenceNumber { hold.sequence }

    /// The value of a key; nil where there is none. May block on the disk.
    ///
    /// - Throws: `.invalidArgument`, `.closed`, `.corruption`, `.inputOutput`.
    /// - Complexity: O(log n), and one read of the record.
    public func get(_ key: some ByteSource) throws(StoreError) -> [UInt8]? {
        try hold.reader.value(of: key)
    }

    /// The key with its value, sequence number and expiry; nil where there is none. May block on the disk.
    public func entry(_ key: some ByteSource) throws(StoreError) -> Entry? {
        try hold.reader.entry(of: key)
    }

    /// Whether the key is there. No I/O.
    public func contains(_ key: some ByteSource) throws(StoreError) -> Bool {
        try key.withByteBuffer { (key) throws(StoreError) in try hold.reader.version(of: key) != nil }
    }

    /// The entries of a range, in order.
    public func scan(_ range: KeyRange = .all, reversed: Bool = false) -> Scan {
        Scan(hold: hold, range: range, reversed: reversed)
    }

    /// The entries whose keys begin with `prefix`, in order.
    public func scan(prefix: some ByteSource, reversed: Bool = false) -> Scan {
        scan(.prefix(prefix), reversed: reversed)
    }

    /// The keys of a range, in order, without their values.
    public func keys(in range: KeyRange = .all, reversed: Bool = false) -> Keys {
        Keys(hold: hold, range: range, reversed: reversed)
    }

    /// Calls `body` with the entries of a range, in order, until it says stop. May block on the disk.
    ///
    /// - Throws: What `body` throws, or `StoreError`.
    public func forEach(
        in range: KeyRange = .all, reversed: Bool = false, _ body: (Entry) throws -> ScanDecision
    ) throws {
        var cursor = Cursor(hold, range: range, reversed: reversed)
        let reader = hold.reader
        while let page = try cursor.nextPage() {
            for entry in page where try body(reader.entry(entry.key, entry.version)) == .stop { return }
        }
    }
}
