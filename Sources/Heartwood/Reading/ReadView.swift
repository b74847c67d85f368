internal import HeartwoodConcurrency
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

    /// The entries of a range, in key order: at most `limit`; see ``Store/scan(_:reversed:limit:)``.
    public func scan(_ range: KeyRange = .all, reversed: Bool = false, limit: Int = .max) -> Scan {
        Scan(pin: pin, range: range, reversed: reversed, limit: limit)
    }

    /// The values of many keys, in the order of `keys`; nil for an absent key. May block on the disk.
    ///
    /// - Throws: As `get`. One key outside the limits fails the whole call.
    /// - Complexity: As one `get` for each key. Records are read in the order in which they are in the files. All
    ///   values are in memory at the same time.
    public func get(all keys: [some ByteSource]) throws(StoreError) -> [[UInt8]?] {
        try pin.reader.values(of: keys)
    }

    /// The value of a key as it is stored, of any length, and its entry without the value; nil if the key is absent.
    /// May block on the disk.
    ///
    /// - Throws: As `get`, but not `.tooLarge`.
    package func storedValue(of key: [UInt8]) throws(StoreError) -> (entry: Entry, value: StoredValue)? {
        try pin.reader.storedValue(of: key)
    }
}

extension ReadView: ImageReader {
    var reader: Reader { pin.reader }

    func readPin() throws(StoreError) -> ReadPin { pin }
}

extension ReadView: LocalKeyValueView {
    /// The first keys of a range, in order: at most `limit`. No I/O.
    ///
    /// - Throws: `.invalidArgument` for a limit below 1; `.closed`.
    /// - Complexity: O(log n + keys).
    public nonisolated(nonsending) func fetchKeys(
        in range: KeyRange, limit: Int
    ) async throws(StoreError) -> [[UInt8]] {
        try EntryPage.check(limit: limit)
        var cursor = Cursor(pin, range: range, reversed: false).paging(by: min(limit, 1_024))
        let page = KeyPage()
        var keys: [[UInt8]] = []
        while keys.count < limit, try cursor.next(page) {
            for index in 0..<min(page.count, limit - keys.count) { keys.append(page.key(index)) }
            if TimeSlice.isOver(isLong: true) { await TimeSlice.yield() }
        }
        return keys
    }

    /// When the first key of a range expires; nil if none of them does. No I/O. Yields to other tasks from time to
    /// time.
    ///
    /// - Throws: `.closed`.
    /// - Complexity: O(log n + keys).
    public nonisolated(nonsending) func fetchNextExpiry(
        in range: KeyRange
    ) async throws(StoreError) -> Timestamp? {
        var next: Timestamp?
        try await pin.forEachPage(of: range) { page in
            for index in 0..<page.count {
                if let expires = page.version(index).expires { next = min(expires, next ?? expires) }
            }
        }
        return next
    }

    package func entries(in range: KeyRange, reversed: Bool, limit: Int) throws(StoreError) -> EntryPage {
        try EntryPage.check(limit: limit)
        return try pin.read(EntryCollector(range, reversed: reversed, limit: limit)).page
    }

    package func firstKeys(in range: KeyRange, limit: Int) throws(StoreError) -> [[UInt8]] {
        Array(try scan(range, limit: limit).keys)
    }

    package func count(in range: KeyRange) throws(StoreError) -> Int { try scan(range).count() }
}
