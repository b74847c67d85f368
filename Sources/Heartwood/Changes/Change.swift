/// One change of a key, as the log has it; see ``Store/changes(after:in:level:)``.
///
/// A batch is delivered as its changes, in the order in which they were added to it. All have the batch's sequence
/// number, and the last of them says so. Apply them together, or keep a position only after the last.
public struct Change: Sendable, Hashable {
    /// What happened.
    public enum Action: Sendable, Hashable {
        /// The key got this value. `expires` is when the value stops existing; nil if it doesn't expire. An expiry
        /// itself makes no change: a copy must judge it by its own clock.
        case put(value: [UInt8], expires: Timestamp?)
        /// The key was removed. It may not have existed.
        case remove
        /// The writes from this number to the change's own were lost to damage that a repair could not bring back. They
        /// may have changed any key, so a copy may differ from the store. Delivered whatever the range.
        case lost(from: SequenceNumber)
    }

    /// The key; empty for ``Action/lost(from:)``.
    public var key: [UInt8]
    /// What happened to the key.
    public var action: Action
    /// The sequence number of the write.
    public var sequence: SequenceNumber
    /// Whether this is the last change of its write, among those in the range of the feed.
    public var isLastOfBatch: Bool
    /// The identity of the store.
    public var store: StoreID

    /// From where to follow once this change, and all before it, are applied. Within a batch this is the position
    /// before the batch, because a batch counts only as a whole.
    public var position: ChangePosition {
        ChangePosition(store: store, sequence: isLastOfBatch ? sequence : sequence - 1)
    }

    /// The value that the key got; nil if it was removed.
    public var value: [UInt8]? {
        if case .put(let value, _) = action { value } else { nil }
    }

    /// Bytes of key and value.
    var byteCount: Int { key.count + (value?.count ?? 0) }
}
