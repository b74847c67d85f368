/// What a `LinkedQueue` links.
protocol QueueLinked {
    /// The next one in its queue. The writer's own.
    var next: Self? { get nonmutating set }
}

/// Elements in the order in which they came, linked through themselves: queueing allocates nothing. Each is in one queue
/// at most.
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

    /// Takes over all that `other` holds, in constant time.
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
