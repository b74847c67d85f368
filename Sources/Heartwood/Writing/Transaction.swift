internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// The result of a transaction.
public struct Committed<Value> {
    /// What the closure returned, in the run that was committed.
    public var value: Value
    /// The sequence number of the write. If the transaction wrote nothing, that of the newest write that it saw.
    public var sequence: SequenceNumber
}

extension Committed: Sendable where Value: Sendable {}

/// Reads, decisions and writes that run in isolation from other writes.
///
/// A transaction reads the newest state, including writes in progress, and sees its own writes on top. When its closure
/// returns, the store checks that nothing that it read has changed, and then writes all or nothing. Otherwise the
/// closure runs again. Not `Sendable`, and not usable after its closure: don't keep it.
public final class Transaction {
    private let pin: ReadPin
    private let encoder: RecordEncoder
    private(set) var encoded = EncodedBatch()
    private var writes: [[UInt8]: Write] = [:]
    /// The keys that were read, and whether they existed.
    private var readKeys: [[UInt8]: Bool] = [:]
    private var readRanges: [KeyRange: Int] = [:]

    private enum Write {
        case put([UInt8], expiry: UInt64)
        case removal
    }

    init(_ pin: ReadPin, _ encoder: RecordEncoder) {
        self.pin = pin
        self.encoder = encoder
    }

    /// The sequence number of the newest write that this transaction sees.
    public var baseSequence: SequenceNumber { pin.sequence }

    /// Returns the value of a key, as this transaction sees it; nil if there is none. May block on the disk.
    ///
    /// - Throws: `.invalidArgument`, `.closed`, `.corruption`, `.inputOutput`.
    public func get(_ key: some ByteSource) throws(StoreError) -> [UInt8]? {
        let key = key.byteArray
        if let write = writes[key] { return value(of: write) }
        note(key)
        return try pin.reader.value(of: key)
    }

    /// As `get`, for tasks that must not block a thread of the cooperative pool.
    public nonisolated(nonsending) func fetch(_ key: some ByteSource) async throws(StoreError) -> [UInt8]? {
        let key = key.byteArray
        if let write = writes[key] { return value(of: write) }
        note(key)
        let reader = pin.reader
        return try await BlockingPool.run { () throws(StoreError) in try reader.value(of: key) }
    }

    /// Returns whether a key exists, as this transaction sees it. No I/O.
    public func contains(_ key: some ByteSource) throws(StoreError) -> Bool {
        let key = key.byteArray
        if let write = writes[key] { return value(of: write) != nil }
        note(key)
        return try lend(key) { (key) throws(StoreError) in try pin.reader.contains(key) }
    }

    /// Returns the entries of a range, in order, as this transaction sees them. May block on the disk.
    ///
    /// Entries that this transaction wrote have the sequence number 0.
    ///
    /// - Complexity: O(entries) in time and memory: the whole range is a condition of the commit.
    public func entries(in range: KeyRange, reversed: Bool = false) throws(StoreError) -> [Entry] {
        if readRanges[range] == nil {
            readRanges[range] = pin.count(range)
        }
        var entries: [Entry] = []
        let walk = RecordWalk(pin, range: range, reversed: false)
        try walk.forEach { key, version, value, sequence in
            let key = [UInt8](key)
            if writes[key] == nil {
                entries.append(
                    Entry(
                        key: key, value: [UInt8](value), sequence: sequence,
                        expires: version.expiry == 0 ? nil : Timestamp(milliseconds: version.expiry)))
            }
            return true
        }
        for (key, write) in writes {
            guard lend(key, { range.contains($0) }), let value = value(of: write) else { continue }
            var expires: Timestamp?
            if case .put(_, let expiry) = write, expiry != 0 { expires = Timestamp(milliseconds: expiry) }
            entries.append(Entry(key: key, value: value, sequence: 0, expires: expires))
        }
        entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
        if reversed { entries.reverse() }
        return entries
    }

    /// Returns when a key expires, as this transaction sees it: `.never` or `.at`; nil if the key doesn't exist. No
    /// I/O.
    ///
    /// - Throws: `.invalidArgument`, `.closed`.
    public func expiry(of key: some ByteSource) throws(StoreError) -> Expiry? {
        let key = key.byteArray
        if let write = writes[key] {
            guard case .put(_, let expiry) = write, value(of: write) != nil else { return nil }
            return Expiry(stored: expiry)
        }
        note(key)
        return try lend(key) { (key) throws(StoreError) in try pin.reader.expiry(of: key) }
    }

    /// Sets a key's value when the transaction commits.
    ///
    /// - Parameters:
    ///   - expires: When the key stops existing.
    ///   - condition: What must be true of the key, as this transaction sees it at this call, including its own writes.
    ///     `.sequence` never holds for a key that this transaction has written. `.sequence` reads the key's record, and
    ///     may block on the disk.
    /// - Throws: `.invalidArgument`, `.tooLarge`; immediately `.conflict` if the condition doesn't hold. An error that
    ///   `body` doesn't catch ends the transaction.
    public func put(
        _ key: some ByteSource, _ value: some ByteSource, expires: Expiry = .never, if condition: KeyCondition? = nil
    ) throws(StoreError) {
        if let condition { try check(condition, on: key.byteArray) }
        let expiry = expires.stored(now: pin.now)
        let stored = value.byteArray
        try key.withByteBuffer { (key) throws(StoreError) in
            try lend(stored) { (bytes) throws(StoreError) in
                try encoder.put(
                    key, bytes, external: bytes.count >= RecordEncoder.externalBytes ? stored : nil,
                    expires: expiry == 0 ? .never : .at(Timestamp(milliseconds: expiry)), to: &encoded)
            }
        }
        writes[key.byteArray] = .put(stored, expiry: expiry)
    }

    /// Removes a key, which doesn't have to exist, when the transaction commits.
    ///
    /// - Parameter condition: As in ``put(_:_:expires:if:)``.
    /// - Throws: `.invalidArgument`; `.conflict` if the condition doesn't hold.
    public func remove(_ key: some ByteSource, if condition: KeyCondition? = nil) throws(StoreError) {
        if let condition { try check(condition, on: key.byteArray) }
        try key.withByteBuffer { (key) throws(StoreError) in try encoder.remove(key, from: &encoded) }
        writes[key.byteArray] = .removal
    }

    /// Changes when a key expires, and keeps its value, when the transaction commits. May block on the disk.
    ///
    /// - Returns: Whether the key exists; if it doesn't, nothing is written.
    /// - Throws: `.invalidArgument`, `.tooLarge`, `.closed`, `.corruption`, `.inputOutput`.
    /// - Complexity: As a `get` and a `put`: the value is read, and written again.
    @discardableResult
    public func touch(_ key: some ByteSource, expires: Expiry) throws(StoreError) -> Bool {
        guard let value = try get(key) else { return false }
        try put(key, value, expires: expires)
        return true
    }

    private func check(_ condition: KeyCondition, on key: [UInt8]) throws(StoreError) {
        let holds =
            switch condition.kind {
            case .absent: try !contains(key)
            case .sequence(let sequence): try self.sequence(of: key) == sequence
            }
        if !holds { throw Condition(form: .key(key, condition)).conflict }
    }

    /// The sequence number of the write that set a key before this transaction; nil if there is none, or if this
    /// transaction has written the key.
    private func sequence(of key: [UInt8]) throws(StoreError) -> SequenceNumber? {
        guard writes[key] == nil else { return nil }
        note(key)
        return try pin.reader.entry(of: key)?.sequence
    }

    /// What must still be true when the transaction commits.
    var conditions: [Condition] {
        readKeys.map { Condition(form: .unchangedKey($0.key, since: pin, wasThere: $0.value)) }
            + readRanges.map { Condition(form: .unchangedRange($0.key, since: pin, count: $0.value)) }
    }

    private func note(_ key: [UInt8]) {
        guard readKeys[key] == nil, lend(key, KeyLimits.allow) else { return }
        readKeys[key] = pin.shows(key)
    }

    private func value(of write: Write) -> [UInt8]? {
        guard case .put(let value, let expiry) = write else { return nil }
        return expiry == 0 || pin.now.milliseconds < expiry ? value : nil
    }
}
