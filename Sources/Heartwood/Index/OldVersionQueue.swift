/// Old versions in the order in which they came, linked through themselves: queueing allocates nothing.
struct OldVersionQueue {
    private(set) var first: OldVersion?
    private var last: OldVersion?

    mutating func append(_ version: OldVersion) {
        version.next = nil
        if let last {
            last.next = version
        } else {
            first = version
        }
        last = version
    }

    mutating func popFirst() -> OldVersion? {
        guard let version = first else { return nil }
        first = version.next
        if first == nil { last = nil }
        return version
    }

    /// Takes over all that `other` holds, in constant time.
    mutating func append(contentsOf other: consuming OldVersionQueue) {
        guard let otherFirst = other.first else { return }
        if let last {
            last.next = otherFirst
        } else {
            first = otherFirst
        }
        last = other.last
    }
}
