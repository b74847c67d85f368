internal import HeartwoodConcurrency

/// What reads an image of the store: a store, a view of it, and a store that is only read. Each says which state it
/// reads, and has its reads from here.
protocol ImageReader: LocalReader, LendingReader {
    /// Reads single keys.
    var reader: Reader { get }

    /// A state for reads of several keys.
    ///
    /// - Throws: `.closed`.
    func readPin() throws(StoreError) -> ReadPin
}

extension ImageReader {
    /// See ``LocalReader/get(_:)``.
    public func get(_ key: some ByteSource) throws(StoreError) -> [UInt8]? { try reader.value(of: key) }

    /// See ``LocalReader/lendEntry(of:to:)``.
    public func lendEntry(
        of key: RawSpan, to body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) -> Void
    ) throws(StoreError) {
        try key.withUnsafeBytes { (key) throws(StoreError) in try reader.lendEntry(of: key, body) }
    }

    /// See ``LocalReader/expiry(of:)``.
    public func expiry(of key: some ByteSource) throws(StoreError) -> Expiry? {
        try key.withByteBuffer { (key) throws(StoreError) in try reader.expiry(of: key) }
    }

    /// See ``KeyValueReader/fetch(_:)``.
    public nonisolated(nonsending) func fetch(_ key: some ByteSource) async throws(StoreError) -> [UInt8]? {
        try await reader.fetchValue(of: key)
    }

    /// See ``KeyValueReader/fetchEntry(_:)``.
    public nonisolated(nonsending) func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry? {
        try await reader.fetchEntry(of: key)
    }

    package nonisolated(nonsending) func lendEntry(
        _ key: [UInt8], to body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) -> Void
    ) async throws(StoreError) -> Bool {
        try await reader.fetchEntry(of: key, lendingTo: body)
    }

    /// See ``KeyValueReader/fetchEntries(of:)``.
    public nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        try await readPin().fetchEntries(of: keys)
    }

    /// See ``KeyValueReader/fetchEntries(in:reversed:limit:)``. Records that are close together are read together.
    public nonisolated(nonsending) func fetchEntries(
        in range: KeyRange, reversed: Bool, limit: Int
    ) async throws(StoreError) -> EntryPage {
        try EntryPage.check(limit: limit)
        return try await readPin().fetch(EntryCollector(range, reversed: reversed, limit: limit)).page
    }

    /// See ``KeyValueReader/fetchCount(in:)``. No I/O.
    public nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
        var count = 0
        try await readPin().forEachPage(of: range) { count += $0.count }
        return count
    }
}

extension ReadPin {
    /// The entries of many keys, in the order of the keys.
    nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        try await reader.fetchEntries(of: keys)
    }

    /// Walks over keys in memory, yielding to other tasks from time to time.
    nonisolated(nonsending) func forEachPage(of range: KeyRange, _ body: (KeyPage) -> Void) async throws(StoreError) {
        var cursor = Cursor(self, range: range, reversed: false).paging(by: 1_024)
        let page = KeyPage()
        while try cursor.next(page) {
            body(page)
            if TimeSlice.isOver(isLong: true) { await TimeSlice.yield() }
        }
    }
}
