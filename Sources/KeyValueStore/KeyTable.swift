/// Values by key, in the order in which the keys were added. Few are looked for one by one, which takes less than to
/// hash them.
package struct KeyTable<Value> {
    package private(set) var items: [(key: [UInt8], value: Value)] = []
    /// The position of each key; empty while there are few.
    private var positions: [HashedBytes: Int] = [:]
    /// The positions in the order of the keys: of the first items, in parts, each at least twice as long as the next.
    private var runs: [[Int]] = []
    private static var few: Int { 12 }

    package init() {}

    private func position(_ key: [UInt8]) -> Int? {
        if items.count > Self.few { return positions[HashedBytes(key)] }
        return items.firstIndex { $0.key == key }
    }

    /// Makes room for as many values in all; for more, so that a caller may ask for a few more again and again.
    package mutating func reserve(_ count: Int) {
        guard count > items.capacity else { return }
        let count = max(count, 2 * items.count)
        items.reserveCapacity(count)
        if count > Self.few { positions.reserveCapacity(count) }
    }

    /// The values whose keys are in a range, in no order.
    ///
    /// - Complexity: O(values + log² n), and O(log n) for each key that was added since the last call.
    package mutating func values(in range: KeyRange) -> [Value] {
        sortKeys()
        return runs.flatMap { run in
            let start = first(in: run) { range.startsBefore($0) }
            let end = first(in: run) { !range.endsAfter($0) }
            return run[start..<max(start, end)].map { items[$0].value }
        }
    }

    private mutating func sortKeys() {
        var run = Array(runs.reduce(0) { $0 + $1.count }..<items.count)
        if run.isEmpty { return }
        func sort() { run.sort { KeyOrder.compare(items[$0].key, items[$1].key) < 0 } }
        sort()
        while let last = runs.last, last.count < 2 * run.count {
            // Two sorted parts, which `sort` merges in linear time.
            run = runs.removeLast() + run
            sort()
        }
        runs.append(run)
    }

    /// The first position in a run whose key passes; all keys after it pass, too.
    private func first(in run: [Int], where passes: (UnsafeRawBufferPointer) -> Bool) -> Int {
        var (low, high) = (0, run.count)
        while low < high {
            let middle = (low + high) / 2
            if items[run[middle]].key.withUnsafeBytes(passes) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    subscript(key: [UInt8]) -> Value? { position(key).map { items[$0].value } }

    /// Adds a value, or replaces that of the key.
    package mutating func set(_ key: [UInt8], _ value: Value) {
        let next = items.count
        let position =
            next > Self.few ? positions.position(of: key, elseNew: next) : position(key) ?? next
        guard position == next else {
            items[position].value = value
            return
        }
        items.append((key, value))
        if items.count == Self.few + 1 {
            for (position, item) in items.enumerated() { positions[HashedBytes(item.key)] = position }
        }
    }
}
