/// An element of a `LinkedQueue`.
protocol QueueLinked {
    /// The next element in its queue. Only the writer uses it.
    var next: Self? { get nonmutating set }
}

/// A first-in, first-out queue. The elements contain the links, so it allocates nothing. An element is in at most one
/// queue.
struct LinkedQueue<Element: QueueLinked> {
    private(set) var first: Element?
    private var last: Element?

    mutating func append(_ element: Element) {
        element.next = nil
        if let last {
            last.next = element
        } else {
            first = element
        }
        last = element
    }

    mutating func popFirst() -> Element? {
        guard let element = first else { return nil }
        first = element.next
        if first == nil { last = nil }
        return element
    }

    /// Moves all elements of `other` to the end. O(1).
    mutating func append(contentsOf other: consuming LinkedQueue) {
        guard let otherFirst = other.first else { return }
        if let last {
            last.next = otherFirst
        } else {
            first = otherFirst
        }
        last = other.last
    }

    func forEach<E: Error>(_ body: (Element) throws(E) -> Void) throws(E) {
        var element = first
        while let each = element {
            try body(each)
            element = each.next
        }
    }
}

/// Old versions that wait to be dropped, or to be freed.
typealias OldVersionQueue = LinkedQueue<VersionBlock>

/// Chunks of the undo log that wait to be dropped.
typealias UndoChunkQueue = LinkedQueue<UndoChunk>
