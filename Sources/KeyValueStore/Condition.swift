/// What must be true of the state before a write for it to happen. Keys that have expired are absent.
///
/// A write with a view of another store is refused with `.invalidArgument`. A view that has ended may be refused with
/// `.viewEnded`. For a view that didn't show a key, a key that was set and removed since may count as unchanged.
///
/// A condition keeps its view until it is released.
///
/// ```swift
/// let view = try store.readView()
/// let price = try view.get("price") ?? []
/// try await store.write { batch in
///     batch.require(.unchangedKey("price", since: view))
///     batch.put("order:1", price)
/// }
/// ```
public struct Condition: Sendable {
    /// The kinds of conditions. More may be added: write a `default` in a `switch` over it.
    public enum Kind: Sendable {
        /// See ``Condition/absent(_:)``.
        case absent([UInt8])
        /// See ``Condition/sequence(_:_:)``.
        case sequence([UInt8], SequenceNumber)
        /// See ``Condition/unchangedKey(_:since:)``.
        case unchangedKey([UInt8], since: any KeyValueView)
        /// See ``Condition/unchangedRange(_:since:)``.
        case unchangedRange(KeyRange, since: any KeyValueView)
    }

    /// Which kind it is, for code that interprets it.
    public let kind: Kind

    /// The key is absent.
    public static func absent(_ key: some ByteSource) -> Condition { Condition(kind: .absent(key.byteArray)) }

    /// The key was last set by the write with this sequence number, as `Entry.sequence` gives it. In the files of this
    /// machine that costs one read of the key's record.
    public static func sequence(_ key: some ByteSource, _ sequence: SequenceNumber) -> Condition {
        Condition(kind: .sequence(key.byteArray, sequence))
    }

    /// The key was neither set nor removed since the view was made. Its expiry doesn't count.
    public static func unchangedKey(_ key: some ByteSource, since view: any KeyValueView) -> Condition {
        Condition(kind: .unchangedKey(key.byteArray, since: view))
    }

    /// No key of the range was set or removed since the view was made. Expiries don't count. In the files of this
    /// machine that is O(keys in the range), and other writes wait meanwhile.
    public static func unchangedRange(_ range: KeyRange, since view: any KeyValueView) -> Condition {
        Condition(kind: .unchangedRange(range, since: view))
    }
}

/// What must be true of the key that is written, before the write.
public enum KeyCondition: Sendable, Hashable {
    /// See ``Condition/absent(_:)``.
    case absent
    /// See ``Condition/sequence(_:_:)``.
    case sequence(SequenceNumber)

    /// The condition on a key.
    public func on(_ key: some ByteSource) -> Condition {
        switch self {
        case .absent: .absent(key)
        case .sequence(let sequence): .sequence(key, sequence)
        }
    }
}
