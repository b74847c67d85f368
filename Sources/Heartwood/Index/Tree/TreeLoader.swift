/// Builds a tree of sorted keys, one lot at a time, from the leaves up. Each node becomes 15/16 full.
///
/// A node's prefix depends on the first key after it, which becomes its upper fence. So the number of keys that fit is
/// estimated, tried, and tried again with fewer until all fit.
struct TreeLoader {
    /// A child with its lower separator. The first child of a level has an empty one.
    private struct Child {
        var separator: [UInt8]
        var word: UInt64
    }

    private static var wantedBytes: Int { (Node.byteCount - Node.headerBytes) * 15 / 16 }

    private var leaves: [Child] = []
    /// The lower separator of the next leaf.
    private var separator: [UInt8] = []
    /// The number of keys that probably fit in a leaf.
    private var guess = 64
    private var count = 0

    /// Builds leaves from keys that are all greater than those added before. O(keys).
    ///
    /// - Parameter next: The first key that will be added next; nil at the end.
    mutating func add(
        _ keys: some SortedKeys, followedBy next: UnsafeRawBufferPointer?, to tree: inout KeyTree
    ) {
        var start = 0
        while start < keys.count {
            var length = min(guess, keys.count - start)
            let node = tree.makeNode(level: 0)
            var end: [UInt8] = []
            var mayGrow = true
            while true {
                end = leafSeparator(keys, before: start + length, next)
                guard let used = fill(node, keys, start..<start + length, from: separator, to: end) else {
                    length = max(1, length * 9 / 10)
                    mayGrow = false
                    continue
                }
                guess = max(1, min(Node.maximumCount, length * Self.wantedBytes / max(used, 1)))
                guard mayGrow, guess > length + length / 8, start + length < keys.count else { break }
                // Far from full: try once more with the new estimate.
                length = min(guess, keys.count - start)
                mayGrow = false
            }
            finish(node, keys, start, &tree)
            leaves.append(Child(separator: separator, word: node.word))
            separator = end
            start += length
        }
        count += keys.count
    }

    /// Builds the inner levels, and puts the result into an empty tree. O(leaves).
    mutating func finish(_ tree: inout KeyTree) {
        guard count > 0 else { return }
        var children = leaves
        leaves = []
        var level = 1
        while children.count > 1 {
            children = loadInner(children, level: level, of: &tree)
            level += 1
        }
        tree.adopt(root: Node(word: children[0].word), count: count)
    }

    /// The shortest key that separates a key from the one before it.
    private func leafSeparator(
        _ keys: some SortedKeys, before index: Int, _ next: UnsafeRawBufferPointer?
    ) -> [UInt8] {
        keys.withKey(index - 1) { low in
            let separator = { (high: UnsafeRawBufferPointer) in
                [UInt8](high.prefix(KeyOrder.commonPrefix(low, high) + 1))
            }
            return index < keys.count ? keys.withKey(index, separator) : next.map(separator) ?? []
        }
    }

    /// Fills a leaf with keys.
    ///
    /// - Returns: The bytes used; nil if the keys don't fit.
    private func fill(
        _ node: Node, _ keys: some SortedKeys, _ range: Range<Int>, from lower: [UInt8], to upper: [UInt8]
    ) -> Int? {
        clear(node, level: 0, from: lower, to: upper)
        let prefix = node.prefix
        for index in range {
            let isAppended = keys.withKey(index) { key -> Bool in
                // A placeholder: long keys are allocated when it is known that all keys fit.
                let isLong = key.count - prefix > Node.inlineLimit
                return node.append(
                    Node.Cell(key: key, word: keys.word(index), longKey: isLong ? LongKey(word: 16) : nil))
            }
            guard isAppended else { return nil }
        }
        return node.usedBytes
    }

    /// Allocates the long keys of a leaf, and makes the leaf readable.
    private func finish(_ leaf: Node, _ keys: some SortedKeys, _ start: Int, _ tree: inout KeyTree) {
        for index in 0..<leaf.count {
            let slot = leaf.slot(index)
            if slot.isExternal {
                let longKey = keys.withKey(start + index) { LongKey($0) }
                tree.longKeyBytes += longKey.byteCount
                Shared.storeUnaligned(longKey.word, leaf.base + slot.offset + 8)
            }
            LeafWord.recordSlot(of: leaf.word(index), in: leaf, head: slot.head)
        }
        leaf.endChange()
    }

    private func clear(_ node: Node, level: Int, from lower: [UInt8], to upper: [UInt8]) {
        lower.withUnsafeBytes { lower in
            upper.withUnsafeBytes { upper in
                node.clear(level: level, lower: lower.isEmpty ? nil : lower, upper: upper.isEmpty ? nil : upper)
            }
        }
    }

    private func loadInner(_ children: [Child], level: Int, of tree: inout KeyTree) -> [Child] {
        var parents: [Child] = []
        var start = 0
        while start < children.count {
            let node = tree.makeNode(level: level)
            var length = min(Node.maximumCount, children.count - start)
            while !fillInner(node, level, children, start..<start + length) {
                length = max(1, length * 9 / 10)
            }
            makeLongSeparators(of: node, children, start, &tree)
            node.endChange()
            parents.append(Child(separator: children[start].separator, word: node.word))
            start += length
        }
        return parents
    }

    private func fillInner(_ node: Node, _ level: Int, _ children: [Child], _ range: Range<Int>) -> Bool {
        let upper = range.upperBound < children.count ? children[range.upperBound].separator : []
        clear(node, level: level, from: children[range.lowerBound].separator, to: upper)
        let prefix = node.prefix
        for index in range {
            let child = children[index]
            let isAppended = child.separator.withUnsafeBytes { key in
                if index == range.lowerBound {
                    return node.append(Node.Cell(key: Node.lowest, word: child.word, longKey: nil))
                }
                let isLong = key.count - prefix > Node.inlineLimit
                return node.append(Node.Cell(key: key, word: child.word, longKey: isLong ? LongKey(word: 16) : nil))
            }
            if !isAppended { return false }
        }
        return node.usedBytes <= Self.wantedBytes || range.count <= 2
    }

    private func makeLongSeparators(of node: Node, _ children: [Child], _ start: Int, _ tree: inout KeyTree) {
        for index in 0..<node.count {
            let slot = node.slot(index)
            guard slot.isExternal else { continue }
            let longKey = children[start + index].separator.withUnsafeBytes { LongKey($0) }
            tree.longKeyBytes += longKey.byteCount
            Shared.storeUnaligned(longKey.word, node.base + slot.offset + 8)
        }
    }
}

/// Sorted keys without duplicates, each with its word.
protocol SortedKeys {
    var count: Int { get }
    func withKey<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R
    func word(_ index: Int) -> UInt64
}
