/// Lets other tasks run while a query works without waiting: about once a millisecond. A thread of the cooperative pool
/// that doesn't do this delays all other tasks of the process.
struct BusyTime {
    private var count = 0
    private var start = ContinuousClock.now

    /// Call it for each record, or for some.
    nonisolated(nonsending) mutating func step(_ records: Int = 1) async {
        if isDue(records) { await rest() }
    }

    /// Whether to look at the clock, by ``rest()``. Separate, because an asynchronous call for each record costs more.
    @inline(__always)
    mutating func isDue(_ records: Int = 1) -> Bool {
        count += records
        return count >= 64
    }

    /// Yields if a millisecond is over.
    nonisolated(nonsending) mutating func rest() async {
        count = 0
        guard ContinuousClock.now - start > .milliseconds(1) else { return }
        await Task.yield()
        start = ContinuousClock.now
    }

    /// Sorts parts of an array, and merges them.
    ///
    /// - Complexity: O(n log n), and memory for a copy.
    nonisolated(nonsending) mutating func sorted<Element>(
        _ elements: [Element], by isBefore: (Element, Element) -> Bool
    ) async -> [Element] {
        let part = 1024
        if elements.count <= part { return elements.sorted(by: isBefore) }
        var sorted: [Element] = []
        sorted.reserveCapacity(elements.count)
        for start in stride(from: 0, to: elements.count, by: part) {
            await step(part)
            sorted += elements[start..<min(start + part, elements.count)].sorted(by: isBefore)
        }
        var width = part
        while width < sorted.count {
            var merged: [Element] = []
            merged.reserveCapacity(sorted.count)
            for start in stride(from: 0, to: sorted.count, by: 2 * width) {
                let middle = min(start + width, sorted.count)
                let end = min(middle + width, sorted.count)
                var (left, right) = (start, middle)
                while left < middle, right < end {
                    await step()
                    let takesRight = isBefore(sorted[right], sorted[left])
                    merged.append(sorted[takesRight ? right : left])
                    if takesRight { right += 1 } else { left += 1 }
                }
                merged += sorted[left..<middle]
                merged += sorted[right..<end]
            }
            sorted = merged
            width *= 2
        }
        return sorted
    }
}
