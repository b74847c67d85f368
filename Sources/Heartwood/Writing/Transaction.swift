internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Reads, decisions and writes that run in isolation from other writes.
///
/// A transaction reads the newest state, including writes in progress, and sees its own writes on top. When its closure
/// returns, the store checks that nothing that it read has changed, and then writes all or nothing. Otherwise the
/// closure runs again. Not `Sendable`, and not usable after its closure: every call then throws `.invalidArgument`.
public final class Transaction {
    let pin: ReadPin
    private let encoder: RecordEncoder
    private(set) var encoded = EncodedBatch()
    private var isOver = false
    /// What it has written: nil for a removed key.
    private(set) var writes: [[UInt8]: OwnValue?] = [:]
    /// The keys that were read, and whether they existed.
    private var readKeys: [[UInt8]: Bool] = [:]
    /// The ranges that were read, and how many keys they had.
    private var readRanges: [KeyRange: Int] = [:]

    /// A value that the transaction has written.
    struct OwnValue {
        let value: [UInt8]
        /// Milliseconds since 1970; 0 for never.
        let expiry: UInt64
    }

    init(_ pin: ReadPin, _ encoder: RecordEncoder) {
        self.pin = pin
        self.encoder = encoder
    }

    /// The body has ended.
    func end() { isOver = true }

    /// - Throws: `.invalidArgument` when the body has ended.
    func checkOpen() throws(StoreError) { if isOver { throw .transactionIsOver } }

    /// What this transaction has written to a key; nil if nothing.
    func write(of key: [UInt8]) throws(StoreError) -> OwnValue?? {
        try checkOpen()
        return writes[key]
    }

    /// The sequence number of the newest write that this transaction sees.
    public var baseSequence: SequenceNumber { pin.sequence }

    /// Sets a key's value when the transaction commits.
    ///
    /// - Parameters:
    ///   - key: 1 to 65,535 bytes.
    ///   - value: Up to `maximumValueBytes`; may be empty.
    ///   - expires: When the key stops existing.
    ///   - condition: What must be true of the key, as this transaction sees it at this call, including its own writes.
    ///     `.sequence` never holds for a key that this transaction has written. `.sequence` reads the key's record, and
    ///     may block on the disk.
    /// - Throws: `.invalidArgument`, `.tooLarge`; immediately `.conflict` if the condition doesn't hold. An error that
    ///   `body` doesn't catch ends the transaction.
    public func put(
        _ key: some ByteSource, _ value: some ByteSource, expires: Expiry = .never, if condition: KeyCondition? = nil
    ) throws(StoreError) {
        try checkOpen()
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
        writes[key.byteArray] = .some(OwnValue(value: stored, expiry: expiry))
    }

    /// Removes a key, which doesn't have to exist, when the transaction commits.
    ///
    /// - Parameters:
    ///   - key: 1 to 65,535 bytes.
    ///   - condition: As in ``put(_:_:expires:if:)``.
    /// - Throws: `.invalidArgument`; `.conflict` if the condition doesn't hold.
    public func remove(_ key: some ByteSource, if condition: KeyCondition? = nil) throws(StoreError) {
        try checkOpen()
        if let condition { try check(condition, on: key.byteArray) }
        try key.withByteBuffer { (key) throws(StoreError) in try encoder.remove(key, from: &encoded) }
        writes[key.byteArray] = .some(nil)
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

    /// Makes it a condition of the commit that the key is unchanged.
    func note(_ key: [UInt8]) {
        guard readKeys[key] == nil, lend(key, KeyLimits.allow) else { return }
        readKeys[key] = pin.shows(key)
    }

    /// Makes it a condition of the commit that the range is unchanged. O(keys in the range).
    ///
    /// - Returns: The number of keys that the range had before this transaction.
    @discardableResult
    func note(_ range: KeyRange) -> Int {
        let count = readRanges[range] ?? pin.count(range)
        readRanges[range] = count
        return count
    }
}
