/// Collects results, which are sorted afterwards. With a limit it keeps only the first ones, in a heap with the last one
/// on top.
struct BestResults<Element> {
    private let limit: Int?
    private var heap: [(key: SortKey, element: Element)] = []

    init(limit: Int?) { self.limit = limit }

    /// - Complexity: O(1) without a limit, otherwise O(log limit).
    mutating func insert(_ element: Element, _ key: SortKey) {
        guard let limit else {
            heap.append((key, element))
            return
        }
        if heap.count < limit {
            heap.append((key, element))
            siftUp()
        } else if let first = heap.first, key < first.key {
            heap[0] = (key, element)
            siftDown()
        }
    }

    /// In no order.
    var elements: [(key: SortKey, element: Element)] { heap }

    private mutating func siftUp() {
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[parent].key < heap[child].key else { return }
            heap.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { return }
            if child + 1 < heap.count, heap[child].key < heap[child + 1].key { child += 1 }
            guard heap[parent].key < heap[child].key else { return }
            heap.swapAt(parent, child)
            parent = child
        }
    }
}
