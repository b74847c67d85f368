/// An ordered set of entries: a B+tree of `TreeNode`s.
///
/// Not safe against concurrent use of any kind; the index's lock sees to that. Owns its nodes, separators and the
/// entries in its leaves until `destroy`.
struct EntryTree {
    /// Where a key is or would be. Of use until the tree is changed or sought in again.
    struct Position {
        let leaf: TreeNode
        let index: Int
        let isFound: Bool
        let depth: Int
    }

    /// An inner node on the way to a leaf, and the child taken.
    struct Step {
        var node: TreeNode
        var index: Int
    }

    /// Entries in the tree.
    private(set) var count = 0
    /// Bytes of nodes, separators and entries.
    private(set) var byteCount = 0

    private(set) var root: TreeNode

    /// The way of the last `seek` from the root downwards.
    ///
    /// Enough room: a tree of that depth would have 16 to the power of 16 leaves.
    private let path: UnsafeMutablePointer<Step>
    private static var maximumDepth: Int { 16 }

    init() {
        root = TreeNode.create(level: 0)
        byteCount = root.byteCount
        path = .allocate(capacity: EntryTree.maximumDepth)
    }

    func find(_ key: UnsafeRawBufferPointer) -> KeyEntry? {
        let head = KeyOrder.head(of: key)
        let leaf = leaf(head: head, key: key)
        let (index, isEqual) = leaf.search(head: head, key: key, from: 0)
        return isEqual ? leaf.entry(at: index) : nil
    }

    @inline(__always)
    func leaf(head: UInt64, key: UnsafeRawBufferPointer) -> TreeNode {
        var node = root
        while !node.isLeaf {
            node = node.child(at: node.childIndex(head: head, key: key))
        }
        return node
    }

    /// Finds the place of a key, and remembers the way for a change there.
    mutating func seek(_ key: UnsafeRawBufferPointer) -> Position {
        let head = KeyOrder.head(of: key)
        var node = root
        var depth = 0
        while !node.isLeaf {
            let index = node.childIndex(head: head, key: key)
            path[depth] = Step(node: node, index: index)
            depth += 1
            node = node.child(at: index)
        }
        let (index, isEqual) = node.search(head: head, key: key, from: 0)
        return Position(leaf: node, index: index, isFound: isEqual, depth: depth)
    }

    /// Frees everything. The tree is of no use afterwards.
    func destroy() {
        EntryTree.destroy(root)
        path.deallocate()
    }

    private static func destroy(_ node: TreeNode) {
        for index in 0..<node.count {
            if node.isLeaf {
                node.entry(at: index).destroy()
            } else {
                node.separator(at: index)?.destroy()
                destroy(node.child(at: index))
            }
        }
        node.destroy()
    }
}

// MARK: - Insertion

extension EntryTree {
    /// Puts in an entry whose key was sought and not found there.
    mutating func insert(_ entry: KeyEntry, at position: Position) {
        count += 1
        byteCount += entry.byteCount

        var slot = TreeNode.Slot(head: KeyOrder.head(of: entry.key), cell: entry.memory, child: nil)
        var node = position.leaf
        var index = position.index
        var depth = position.depth
        while node.isFull {
            let right = split(node, forInsertionAt: index)
            if index <= node.count {
                node.insert(slot, at: index)
            } else {
                right.insert(slot, at: index - node.count)
            }
            let separator = separator(before: right, after: node)
            slot = TreeNode.Slot(head: KeyOrder.head(of: separator.key), cell: separator.memory, child: right)
            if depth == 0 {
                growRoot()
                node = root
                index = 1
            } else {
                depth -= 1
                node = path[depth].node
                index = path[depth].index + 1
            }
        }
        node.insert(slot, at: index)
    }

    /// Moves slots of a full node to a new one on its right.
    ///
    /// Half of them; but where the insertion is at an end, as with keys that come in order, only few go to that side,
    /// so that what lies behind such a run of keys is well filled.
    private mutating func split(_ node: TreeNode, forInsertionAt index: Int) -> TreeNode {
        let staying =
            switch index {
            case 0: TreeNode.minimum
            case node.count: node.count - TreeNode.minimum
            default: node.count / 2
            }
        let right = createNode(level: node.level)
        right.insertSlots(staying..<node.count, of: node, at: 0)
        if node.isLeaf {
            right.previous = node
            right.next = node.next
            node.next?.previous = right
            node.next = right
        }
        return right
    }

    /// The separator for a node and its left neighbour: of leaves a new one, of inner nodes the one that was left in
    /// slot 0 of the right node, which has no use for it.
    mutating func separator(before right: TreeNode, after left: TreeNode) -> Separator {
        if right.isLeaf {
            let separator = Separator.create(between: left.entry(at: left.count - 1).key, and: right.entry(at: 0).key)
            byteCount += separator.byteCount
            return separator
        }
        let separator = right.separator(at: 0)!
        right.setSeparator(nil, at: 0)
        return separator
    }

    private mutating func growRoot() {
        let old = root
        root = createNode(level: old.level + 1)
        precondition(root.level < EntryTree.maximumDepth)
        root.insert(TreeNode.Slot(head: 0, cell: nil, child: old), at: 0)
    }

    private mutating func createNode(level: Int) -> TreeNode {
        let node = TreeNode.create(level: level)
        byteCount += node.byteCount
        return node
    }
}

// MARK: - Removal

extension EntryTree {
    /// Takes out the entry that was sought and found there, and frees it.
    mutating func remove(at position: Position) {
        let entry = position.leaf.entry(at: position.index)
        count -= 1
        byteCount -= entry.byteCount
        entry.destroy()
        position.leaf.removeSlot(at: position.index)

        var node = position.leaf
        var depth = position.depth
        while depth > 0, node.count < TreeNode.minimum {
            depth -= 1
            // A parent has two children at least: an inner node the minimum of them, the root by the loop below.
            let (parent, index) = (path[depth].node, path[depth].index)
            fill(childOf: parent, at: max(index, 1))
            node = parent
        }
        while !root.isLeaf, root.count == 1 {
            let old = root
            root = old.child(at: 0)
            destroyNode(old)
        }
    }

    /// Makes one node of the child and its left neighbour, or, where that would be more than three quarters full (and
    /// would soon be split again), shares their slots out evenly.
    private mutating func fill(childOf parent: TreeNode, at index: Int) {
        let left = parent.child(at: index - 1)
        let right = parent.child(at: index)
        // In inner nodes the separator comes down, and the slots can be moved like those of a leaf.
        let separator = parent.separator(at: index)!
        if right.isLeaf {
            byteCount -= separator.byteCount
            separator.destroy()
        } else {
            right.setSeparator(separator, at: 0)
        }

        let total = left.count + right.count
        if total <= TreeNode.capacity * 3 / 4 {
            left.insertSlots(0..<right.count, of: right, at: left.count)
            parent.removeSlot(at: index)
            if right.isLeaf {
                left.next = right.next
                right.next?.previous = left
            }
            destroyNode(right)
        } else {
            let half = total / 2
            if left.count < half {
                left.insertSlots(0..<(half - left.count), of: right, at: left.count)
            } else {
                right.insertSlots(half..<left.count, of: left, at: 0)
            }
            parent.setSeparator(self.separator(before: right, after: left), at: index)
        }
    }

    private mutating func destroyNode(_ node: TreeNode) {
        byteCount -= node.byteCount
        node.destroy()
    }
}
