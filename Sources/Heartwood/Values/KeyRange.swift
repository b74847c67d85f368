/// A range of keys in the order of unsigned bytes (a shorter key before one that it begins).
public struct KeyRange: Sendable, Hashable {
    var lower: KeyBound
    var upper: KeyBound

    /// Every key.
    public static let all = KeyRange(lower: .unbounded, upper: .unbounded)

    /// The keys that begin with `prefix`; every key where it is empty.
    public static func prefix(_ prefix: some ByteSource) -> KeyRange {
        // The first key behind all of them: the prefix with its last byte raised. A 0xFF can't be raised, so the byte
        // before it is; when there is none, nothing comes behind.
        let bytes = prefix.byteArray
        guard let last = bytes.lastIndex(where: { $0 != 0xFF }) else {
            return KeyRange(lower: .included(bytes), upper: .unbounded)
        }
        var successor = Array(bytes[...last])
        successor[last] += 1
        return KeyRange(lower: .included(bytes), upper: .excluded(successor))
    }

    /// The keys from `lower` on, up to `upper` and without it.
    public static func range(from lower: some ByteSource, to upper: some ByteSource) -> KeyRange {
        KeyRange(lower: .included(lower.byteArray), upper: .excluded(upper.byteArray))
    }

    /// The keys from `lower` on.
    public static func from(_ lower: some ByteSource) -> KeyRange {
        KeyRange(lower: .included(lower.byteArray), upper: .unbounded)
    }

    /// The keys before `upper`.
    public static func upTo(_ upper: some ByteSource) -> KeyRange {
        KeyRange(lower: .unbounded, upper: .excluded(upper.byteArray))
    }
}
