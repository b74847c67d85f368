/// One end of a range of keys. More kinds may be added: write a `default` in a `switch` over it.
public enum KeyBound: Sendable, Hashable {
    /// The range has no end on this side.
    case unbounded
    /// The range ends with this key.
    case included([UInt8])
    /// The range ends at this key, without it.
    case excluded([UInt8])
}
