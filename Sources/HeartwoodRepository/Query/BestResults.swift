/// Collects results, which are sorted afterwards. With a limit it keeps only the first ones, in a heap that has the
/// last one on top.
struct BestResults {
    private let limit: Int?
    /// In no order. The caller keeps the results, each in its slot.
    private(set) var elements: [(key: SortKey, slot: Int)] = []

    init(limit: Int?) { self.limit = limit }

    /// - Returns: The slot of the result, the next one or one that is free again; nil if it isn't among the best.
    /// - Complexity: O(1) without a limit, otherwise O(log limit).
    mutating func insert(_ key: SortKey) -> Int? {
        let slot = elements.count
        guard let limit else {
            elements.append((key, slot))
            return slot
        }
        if slot < limit {
            elements.append((key, slot))
            siftUp()
            return slot
        }
        guard let first = elements.first, key < first.key else { return nil }
        elements[0].key = key
        siftDown()
        return first.slot
    }

    private mutating func siftUp() {
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[parent].key < elements[child].key else { return }
            elements.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < elements.count else { return }
            if child + 1 < elements.count, elements[child].key < elements[child + 1].key { child += 1 }
            guard elements[parent].key < elements[child].key else { return }
            elements.swapAt(parent, child)
            parent = child
        }
    }
}
