/// One change of a key; see `Store.changes(after:in:level:)`.
///
/// ```swift
/// switch change.action {
/// case .put(let value, let expires): copy[change.key] = (value, expires)
/// case .remove: copy[change.key] = nil
/// case .lost: isComplete = false      // start over: any key may have changed
/// }
/// ```
///
/// A batch is delivered as its changes, in the order in which they were added to it. All have the batch's sequence
/// number, and the last one has ``isLastOfBatch``. Apply them together, or store a position only after the last one.
public struct Change: Sendable, Hashable {
    /// What happened.
    public enum Action: Sendable, Hashable {
        /// The key has this value now. `expires` is when the value stops existing; nil if it doesn't expire. An expiry
        /// itself makes no change: a copy must compare `expires` with its own clock.
        case put(value: [UInt8], expires: Timestamp?)
        /// The key was removed. It may not have existed.
        case remove
        /// The writes from this number to the change's own are lost: a repair could not bring them back. They may have
        /// changed any key, so a copy may differ from the store. Delivered with every range.
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

    /// Creates a change, for an engine that delivers it.
    public init(
        key: [UInt8], action: Action, sequence: SequenceNumber, isLastOfBatch: Bool, store: StoreID
    ) {
        (self.key, self.action, self.sequence) = (key, action, sequence)
        (self.isLastOfBatch, self.store) = (isLastOfBatch, store)
    }

    /// The position to continue from once this change, and all before it, are applied. O(1).
    ///
    /// Within a batch this is the position before the batch, because a batch counts only as a whole.
    public var position: ChangePosition {
        ChangePosition(store: store, sequence: isLastOfBatch ? sequence : max(sequence, 1) - 1)
    }

    /// The new value; nil unless the change is a put. O(1).
    public var value: [UInt8]? {
        if case .put(let value, _) = action { value } else { nil }
    }

    /// Bytes of key and value.
    package var byteCount: Int { key.count + (value?.count ?? 0) }
}
