/// Reading keys. Each key that is read is a condition of the commit, also if it doesn't exist. Keys that this
/// transaction has written are read from its own memory, and aren't a condition.
extension Transaction {
    /// Returns the value of a key, as this transaction sees it; nil if there is none. May block on the disk.
    ///
    /// - Throws: `.invalidArgument`, `.closed`, `.corruption`, `.inputOutput`; `.tooLarge` for a compressed value over
    ///   `maximumValueBytes`.
    /// - Complexity: O(log n), and one read of the record.
    public func get(_ key: some ByteSource) throws(StoreError) -> [UInt8]? {
        let key = key.byteArray
        if let write = try write(of: key) { return alive(write)?.value }
        note(key)
        return try pin.reader.value(of: key)
    }

    /// As ``get(_:)``, without blocking a thread of the cooperative pool. See ``Store/fetch(_:)``.
    ///
    /// - Throws: As ``get(_:)``. Cancellation doesn't interrupt it.
    /// - Complexity: As ``get(_:)``.
    public nonisolated(nonsending) func fetch(_ key: some ByteSource) async throws(StoreError) -> [UInt8]? {
        let key = key.byteArray
        if let write = try write(of: key) { return alive(write)?.value }
        note(key)
        return try await pin.reader.fetchValue(of: key)
    }

    /// Returns the values of many keys, in the order of the keys; nil for a key that has none. May block on the disk.
    ///
    /// - Throws: As ``get(_:)``. One key outside the limits refuses the whole call.
    /// - Complexity: As one `get` for each key. The records are read in the order of the files. All values are in
    ///   memory at once.
    public func get(all keys: [some ByteSource]) throws(StoreError) -> [[UInt8]?] {
        var (values, others) = try ownValues(of: keys)
        let read = try pin.reader.values(of: others.map(\.key))
        for (other, value) in zip(others, read) { values[other.index] = value }
        return values
    }

    /// As ``get(all:)``, without blocking a thread of the cooperative pool. See ``Store/fetch(_:)``.
    ///
    /// - Throws: As ``get(_:)``. One key outside the limits refuses the whole call. Cancellation doesn't interrupt it.
    /// - Complexity: As ``get(all:)``.
    public nonisolated(nonsending) func fetch(all keys: [some ByteSource]) async throws(StoreError) -> [[UInt8]?] {
        var (values, others) = try ownValues(of: keys)
        let read = try await pin.reader.fetchValues(of: others.map(\.key))
        for (other, value) in zip(others, read) { values[other.index] = value }
        return values
    }

    /// The values of the keys that this transaction has written, and the other keys, which are noted as read.
    private func ownValues(
        of keys: [some ByteSource]
    ) throws(StoreError) -> ([[UInt8]?], others: [(index: Int, key: [UInt8])]) {
        try checkOpen()
        var values = [[UInt8]?](repeating: nil, count: keys.count)
        var others: [(index: Int, key: [UInt8])] = []
        for index in keys.indices {
            let key = keys[index].byteArray
            if let write = writes[key] {
                values[index] = alive(write)?.value
            } else {
                note(key)
                others.append((index, key))
            }
        }
        return (values, others)
    }

    /// Returns the key with its value, sequence number and expiry, as this transaction sees them; nil if there is none.
    /// May block on the disk. An entry that this transaction wrote has the sequence number 0.
    ///
    /// - Throws: As ``get(_:)``.
    /// - Complexity: As ``get(_:)``.
    public func entry(_ key: some ByteSource) throws(StoreError) -> Entry? {
        let key = key.byteArray
        if let write = try write(of: key) { return ownEntry(key, write) }
        note(key)
        return try pin.reader.entry(of: key)
    }

    /// As ``entry(_:)``, without blocking a thread of the cooperative pool. See ``Store/fetch(_:)``.
    ///
    /// - Throws: As ``get(_:)``. Cancellation doesn't interrupt it.
    /// - Complexity: As ``get(_:)``.
    public nonisolated(nonsending) func fetchEntry(_ key: some ByteSource) async throws(StoreError) -> Entry? {
        let key = key.byteArray
        if let write = try write(of: key) { return ownEntry(key, write) }
        note(key)
        return try await pin.reader.fetchEntry(of: key)
    }

    /// Calls `body` with the bytes of a value, as this transaction sees it, without copying them into an array. Returns
    /// nil if the key doesn't exist. May block on the disk. The bytes are valid only during the call. See
    /// ``Store/withValue(_:_:)``.
    ///
    /// - Throws: As ``get(_:)``, or what `body` throws.
    /// - Complexity: As ``get(_:)``.
    @inlinable
    public func withValue<R>(_ key: some ByteSource, _ body: (RawSpan) throws -> R) throws -> R? {
        try withEntry(key) { value, _, _ in try body(value) }
    }

    /// As ``withValue(_:_:)``, with the sequence number of the write that set the value, and when it expires; nil for
    /// never. A value that this transaction wrote has the sequence number 0.
    ///
    /// - Throws: As ``get(_:)``, or what `body` throws.
    /// - Complexity: As ``get(_:)``.
    @inlinable
    public func withEntry<R>(
        _ key: some ByteSource,
        _ body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) throws -> R
    ) throws -> R? {
        var result: Result<R, any Error>?
        try lendEntry(of: key.byteArray) { value, sequence, expires in
            result = Result { try body(value, sequence, expires) }
        }
        return try result?.get()
    }

    /// Not generic, so that it is compiled in this module.
    @usableFromInline
    func lendEntry(
        of key: [UInt8], _ body: (RawSpan, SequenceNumber, Timestamp?) -> Void
    ) throws(StoreError) {
        if let write = try write(of: key) {
            guard let entry = ownEntry(key, write) else { return }
            return body(entry.value.span.bytes, entry.sequence, entry.expires)
        }
        note(key)
        try lend(key) { (key) throws(StoreError) in try pin.reader.lendEntry(of: key, body) }
    }

    /// Returns whether a key exists, as this transaction sees it. No I/O.
    ///
    /// - Throws: `.invalidArgument`, `.closed`.
    /// - Complexity: O(log n).
    public func contains(_ key: some ByteSource) throws(StoreError) -> Bool {
        let key = key.byteArray
        if let write = try write(of: key) { return alive(write) != nil }
        note(key)
        return try lend(key) { (key) throws(StoreError) in try pin.reader.contains(key) }
    }

    /// Returns when a key expires, as this transaction sees it: `.never` or `.at`; nil if the key doesn't exist. No
    /// I/O.
    ///
    /// - Throws: `.invalidArgument`, `.closed`.
    /// - Complexity: O(log n).
    public func expiry(of key: some ByteSource) throws(StoreError) -> Expiry? {
        let key = key.byteArray
        if let write = try write(of: key) { return alive(write).map { Expiry(stored: $0.expiry) } }
        note(key)
        return try lend(key) { (key) throws(StoreError) in try pin.reader.expiry(of: key) }
    }

    /// A value that this transaction has written, unless it is removed or has expired.
    func alive(_ write: OwnValue?) -> OwnValue? {
        guard let write, write.expiry == 0 || pin.now.milliseconds < write.expiry else { return nil }
        return write
    }

    /// The entry of a key that this transaction has written.
    func ownEntry(_ key: [UInt8], _ write: OwnValue?) -> Entry? {
        alive(write).map { write in
            Entry(
                key: key, value: write.value, sequence: 0,
                expires: write.expiry == 0 ? nil : Timestamp(milliseconds: write.expiry))
        }
    }
}
