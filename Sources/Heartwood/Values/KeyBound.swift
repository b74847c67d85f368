/// One end of a range of keys.
enum KeyBound: Sendable, Hashable {
    case unbounded
    case included([UInt8])
    case excluded([UInt8])
}
