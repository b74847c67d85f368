/// Reads without suspension, of a store of this machine.
extension Transaction: LocalReader {
    private func local() throws(StoreError) -> any LocalKeyValueView {
        try checkOpen()
        guard let local = view as? any LocalKeyValueView else {
            throw StoreError(
                .invalidArgument,
                "a read that blocks, in a transaction on a store that is on other machines: use 'await fetch', "
                    + "'fetchEntry' or 'fetchEntries'")
        }
        if hasUnconfirmed { try confirm(by: local) }
        return local
    }

    /// The value of a key as this transaction sees it; nil if it is absent. May block on the disk.
    ///
    /// - Throws: `.invalidArgument`, `.closed`, `.corruption`, `.inputOutput`; `.tooLarge` for a compressed value over
    ///   `maximumValueBytes`.
    /// - Complexity: O(log n), and one read of the record.
    public func get(_ key: some ByteSource) throws(StoreError) -> [UInt8]? {
        let (view, key) = (try local(), key.byteArray)
        if let own = own(key) { return own?.value }
        let value = try view.get(key)
        keep(key)
        return value
    }

    /// The values of many keys, in the order of the keys; nil for an absent key. May block on the disk.
    ///
    /// - Throws: As ``get(_:)``. One key outside the limits refuses the whole call.
    /// - Complexity: As one `get` for each key. The records are read in the order of the files. All values are in
    ///   memory at once.
    public func get(all keys: [some ByteSource]) throws(StoreError) -> [[UInt8]?] {
        let (view, keys) = (try local(), keys.map(\.byteArray))
        let others = keys.indices.filter { write(of: keys[$0]) == nil }
        var values = keys.map { own($0)??.value }
        for (index, value) in zip(others, try view.get(all: others.map { keys[$0] })) {
            keep(keys[index])
            values[index] = value
        }
        return values
    }

    /// As ``LocalReader/lendEntry(of:to:)``, of what this transaction sees. A value that it wrote has the sequence
    /// number 0.
    public func lendEntry(
        of key: RawSpan, to body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) -> Void
    ) throws(StoreError) {
        let (view, array) = (try local(), key.withUnsafeBytes { [UInt8]($0) })
        if let own = own(array) {
            if let own { body(own.value.span.bytes, own.sequence, own.expires) }
            return
        }
        try view.lendEntry(of: key, to: body)
        keep(array)
    }

    /// When a key expires, as this transaction sees it: `.never` or `.at`; nil if the key is absent. No I/O.
    ///
    /// - Throws: `.invalidArgument`, `.closed`.
    /// - Complexity: O(log n).
    public func expiry(of key: some ByteSource) throws(StoreError) -> Expiry? {
        let (view, key) = (try local(), key.byteArray)
        if let own = own(key) { return own.map { $0.expires.map(Expiry.at) ?? .never } }
        let expiry = try view.expiry(of: key)
        keep(key)
        return expiry
    }

    /// Entries of a range as this transaction sees them: at most `limit`. May block on the disk. What was read is a
    /// condition of the commit, as of ``fetchEntries(in:reversed:limit:)``.
    ///
    /// - Throws: `.invalidArgument` for a limit below 1; `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries + writes of this transaction) in time, O(entries) in memory.
    public func entries(
        in range: KeyRange = .all, reversed: Bool = false, limit: Int
    ) throws(StoreError) -> EntryPage {
        var paging = try beginPaging(range, reversed, limit)
        let view = try local()
        while let part = paging.next {
            add(try view.entries(in: part, reversed: reversed, limit: paging.most), to: &paging)
        }
        return finish(paging)
    }

    /// The number of keys of a range as this transaction sees them. No I/O. The whole range is a condition of the
    /// commit.
    ///
    /// - Throws: `.closed`.
    /// - Complexity: O(log n + keys + writes of this transaction).
    public func count(in range: KeyRange = .all) throws(StoreError) -> Int {
        let view = try local()
        var count = try view.count(in: range)
        for write in writes(in: range) {
            if try view.contains(write.key) { count -= 1 }
            if own(write.key) != .some(nil) { count += 1 }
        }
        note(range)
        return count
    }

    /// As ``remove(in:limit:)`` where code isn't asynchronous. No I/O.
    @discardableResult
    public func remove(in range: KeyRange, limit: Int? = nil) throws(StoreError) -> Int {
        var removal = try beginRemoval(of: range, limit)
        let view = try local()
        while let part = removal.next {
            remove(try view.firstKeys(in: part, limit: Removal.pageKeys), in: &removal)
        }
        return removal.count
    }

    /// As ``touch(_:expires:)`` where code isn't asynchronous. May block on the disk.
    @discardableResult
    public func touch(_ key: some ByteSource, expires: Expiry) throws(StoreError) -> Bool {
        guard let value = try get(key) else { return false }
        try put(key, value, expires: expires)
        return true
    }
}
