extension Condition {
    /// The kinds of conditions. More may be added: write a `default` in a `switch` over it.
    public enum Kind: Sendable {
        /// The key doesn't exist, or has expired.
        case absent([UInt8])
        /// The key was last set by the write with this sequence number.
        case sequence([UInt8], SequenceNumber)
        /// The key was neither set nor removed since the read view was made.
        case unchangedKey([UInt8], since: ReadView)
        /// No key of the range was set or removed since the read view was made.
        case unchangedRange(KeyRange, since: ReadView)
    }

    /// Which kind it is, for code that interprets it. O(1).
    public var kind: Kind {
        switch form {
        case .key(let key, let condition):
            switch condition.kind {
            case .absent: .absent(key)
            case .sequence(let sequence): .sequence(key, sequence)
            }
        case .current(let key, _, let sequence): .sequence(key, sequence)
        case .unchangedKey(let key, let pin, _): .unchangedKey(key, since: ReadView(pin))
        case .unchangedRange(let range, let pin, _): .unchangedRange(range, since: ReadView(pin))
        }
    }
}
