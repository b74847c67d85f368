/// A first-in, first-out queue. Both operations are amortised O(1).
package struct FIFOQueue<Element> {
    /// Elements taken over from `incoming`, newest first, so that removing the oldest is cheap.
    private var outgoing: [Element] = []
    private var incoming: [Element] = []

    /// An empty queue.
    package init() {}

    /// Number of elements.
    package var count: Int { outgoing.count + incoming.count }

    /// Whether the queue is empty.
    package var isEmpty: Bool { outgoing.isEmpty && incoming.isEmpty }

    /// Adds an element at the end.
    package mutating func append(_ element: Element) {
        incoming.append(element)
    }

    /// Removes and returns the oldest element; nil if the queue is empty.
    package mutating func popFirst() -> Element? {
        if outgoing.isEmpty {
            swap(&outgoing, &incoming)
            outgoing.reverse()
        }
        return outgoing.popLast()
    }
}
