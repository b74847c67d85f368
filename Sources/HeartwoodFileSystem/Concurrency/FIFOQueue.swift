/// A first-in, first-out queue. Both operations are amortised O(1).
package struct FIFOQueue<Element> {
    /// What was taken over from `incoming`, newest first, so that the oldest is cheap to remove.
    private var outgoing: [Element] = []
    private var incoming: [Element] = []

    /// An empty queue.
    package init() {}

    /// Number of elements.
    package var count: Int { outgoing.count + incoming.count }

    /// Whether there is nothing in it.
    package var isEmpty: Bool { outgoing.isEmpty && incoming.isEmpty }

    /// Puts an element behind all others.
    package mutating func append(_ element: Element) {
        incoming.append(element)
    }

    /// Takes out the element that has been in the queue for the longest.
    package mutating func popFirst() -> Element? {
        if outgoing.isEmpty {
            swap(&outgoing, &incoming)
            outgoing.reverse()
        }
        return outgoing.popLast()
    }
}
