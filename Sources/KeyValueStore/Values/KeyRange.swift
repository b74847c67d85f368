/// A range of keys in the order of their unsigned bytes. A key that is a prefix of another comes first.
public struct KeyRange: Sendable, Hashable {
    /// Where it begins.
    public var lower: KeyBound
    /// Where it ends.
    public var upper: KeyBound

    /// Creates a range from its bounds. Bounds in the wrong order make an empty range. O(1).
    ///
    /// ```swift
    /// let recent = KeyRange(lower: .excluded(lastKey), upper: .included(newestKey))
    /// ```
    public init(lower: KeyBound, upper: KeyBound) {
        self.lower = lower
        self.upper = upper
    }

    /// Every key.
    public static let all = KeyRange(lower: .unbounded, upper: .unbounded)

    /// The keys that start with `prefix`; all keys if it is empty.
    public static func prefix(_ prefix: some ByteSource) -> KeyRange {
        // The upper bound is the prefix with its last byte incremented. A trailing 0xFF can't be incremented and is
        // dropped. If every byte is 0xFF, there is no upper bound.
        let bytes = prefix.byteArray
        guard let last = bytes.lastIndex(where: { $0 != 0xFF }) else {
            return KeyRange(lower: .included(bytes), upper: .unbounded)
        }
        var successor = Array(bytes[...last])
        successor[last] += 1
        return KeyRange(lower: .included(bytes), upper: .excluded(successor))
    }

    /// The keys from `lower`, inclusive, to `upper`, exclusive.
    public static func range(from lower: some ByteSource, to upper: some ByteSource) -> KeyRange {
        KeyRange(lower: .included(lower.byteArray), upper: .excluded(upper.byteArray))
    }

    /// The keys from `lower` on, inclusive.
    public static func from(_ lower: some ByteSource) -> KeyRange {
        KeyRange(lower: .included(lower.byteArray), upper: .unbounded)
    }

    /// The keys after `lower`, exclusive.
    public static func after(_ lower: some ByteSource) -> KeyRange { all.after(lower) }

    /// The part of this range after a key, exclusive. With the last key of a page, this is the range of the next page.
    ///
    /// ```swift
    /// let next = KeyRange.prefix("user:").after(lastKey)      // still only keys that start with "user:"
    /// ```
    ///
    /// - Returns: The whole range if the key is less than its lower bound; an empty range if the key is past its end.
    public func after(_ key: some ByteSource) -> KeyRange { remainder(after: key.byteArray, reversed: false) }

    /// The part of this range before a key, exclusive. With the last key of a page, this is the range of the next page
    /// of a reversed walk.
    public func before(_ key: some ByteSource) -> KeyRange { remainder(after: key.byteArray, reversed: true) }

    /// The keys before `upper`, exclusive.
    public static func upTo(_ upper: some ByteSource) -> KeyRange {
        KeyRange(lower: .unbounded, upper: .excluded(upper.byteArray))
    }
}
