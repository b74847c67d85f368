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

    /// The keys after `lower`, without it.
    public static func after(_ lower: some ByteSource) -> KeyRange { all.after(lower) }

    /// What is left of this range after a key, without it: the next page, where the key is the last one of a page.
    ///
    /// ```swift
    /// let next = KeyRange.prefix("user:").after(lastKey)      // still only keys that begin with "user:"
    /// ```
    ///
    /// - Returns: The whole range where the key lies before it; an empty one where the key lies past its end.
    public func after(_ key: some ByteSource) -> KeyRange { remainder(after: key.byteArray, reversed: false) }

    /// What is left of this range before a key, without it: the next page of a walk against the order.
    public func before(_ key: some ByteSource) -> KeyRange { remainder(after: key.byteArray, reversed: true) }

    /// The keys before `upper`.
    public static func upTo(_ upper: some ByteSource) -> KeyRange {
        KeyRange(lower: .unbounded, upper: .excluded(upper.byteArray))
    }
}
