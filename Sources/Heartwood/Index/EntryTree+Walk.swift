extension EntryTree {
    /// The entries of a range, in order or against it. To be used up before the tree changes.
    func entries(in range: KeyRange, reversed: Bool = false) -> EntryWalk {
        if range.isEmpty {
            // Its ends would lie in the wrong order, and a walk from one to the other would miss its end.
            let start = first
            return EntryWalk(from: start, to: start, reversed: false)
        }
        let lower =
            switch range.lower {
            case .unbounded: first
            case .included(let key): gap(of: key, behindEqual: false)
            case .excluded(let key): gap(of: key, behindEqual: true)
            }
        let upper =
            switch range.upper {
            case .unbounded: end
            case .included(let key): gap(of: key, behindEqual: true)
            case .excluded(let key): gap(of: key, behindEqual: false)
            }
        return reversed
            ? EntryWalk(from: upper, to: lower, reversed: true)
            : EntryWalk(from: lower, to: upper, reversed: false)
    }

    private var first: EntryWalk.Gap {
        var node = root
        while !node.isLeaf {
            node = node.child(at: 0)
        }
        return EntryWalk.Gap(leaf: node, index: 0)
    }

    private var end: EntryWalk.Gap {
        var node = root
        while !node.isLeaf {
            node = node.child(at: node.count - 1)
        }
        return EntryWalk.Gap(leaf: node, index: node.count)
    }

    private func gap(of key: [UInt8], behindEqual: Bool) -> EntryWalk.Gap {
        key.withUnsafeBytes { key in
            let head = KeyOrder.head(of: key)
            let leaf = leaf(head: head, key: key)
            let (index, isEqual) = leaf.search(head: head, key: key, from: 0)
            return EntryWalk.Gap(leaf: leaf, index: isEqual && behindEqual ? index + 1 : index)
        }
    }
}

/// A walk along the leaves from one gap between entries to another.
struct EntryWalk: Sequence, IteratorProtocol {
    /// The gap before an entry, or behind the last one of all.
    struct Gap: Equatable {
        var leaf: TreeNode
        var index: Int

        /// The end of a leaf is the beginning of the next one; only the latter form is used, so that gaps compare.
        init(leaf: TreeNode, index: Int) {
            if index == leaf.count, let next = leaf.next {
                self.leaf = next
                self.index = 0
            } else {
                self.leaf = leaf
                self.index = index
            }
        }
    }

    private var gap: Gap
    private let end: Gap
    private let reversed: Bool

    init(from start: Gap, to end: Gap, reversed: Bool) {
        gap = start
        self.end = end
        self.reversed = reversed
    }

    @inline(__always)
    mutating func next() -> KeyEntry? {
        if gap == end { return nil }
        if reversed {
            if gap.index == 0, let previous = gap.leaf.previous {
                gap.leaf = previous
                gap.index = previous.count
            }
            gap.index -= 1
            return gap.leaf.entry(at: gap.index)
        }
        let entry = gap.leaf.entry(at: gap.index)
        gap = Gap(leaf: gap.leaf, index: gap.index + 1)
        return entry
    }
}
