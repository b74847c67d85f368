/// An ordered map from keys to 8-byte words: a B+tree of `Node`s, for one writer and any number of readers that take no
/// lock.
///
/// This is the writer's side; one thread at a time may use it. Readers use `TreeReader`, which has the address of the
/// root. They detect changes by versions (optimistic lock coupling, after Leis et al., "The ART of practical
/// synchronization", 2016): before a change, the writer makes the version odd of every node whose keys or bounds
/// change, including the parent above them. After the change, it makes all of them even again.
struct KeyTree {
    /// The position of a key, or where it would be inserted. Valid until the next change or `seek`.
    struct Position {
        let leaf: Node
        let index: Int
        let isFound: Bool
        /// The number of inner nodes on the path; `unknown` if the path was not walked.
        let depth: Int

        static var unknown: Int { -1 }
    }

    struct Step {
        var node: Node
        var index: Int
    }

    /// Keys in the tree.
    private(set) var count = 0
    private var splits = 0
    private var merges = 0
    private var madeNodes = 0
    private var freedNodes = 0
    /// Bytes of keys that are stored outside of the nodes.
    var longKeyBytes = 0
    var arena = PageArena()
    let reader: TreeReader
    /// Greater than the version of every freed page. Every new node starts above it, because it may reuse such a page.
    private var versionFloor: UInt64 = 2
    /// The path of the last `seek`.
    let path: UnsafeMutablePointer<Step>
    /// Sufficient: a tree with more levels has more nodes than fit in memory.
    static let maximumDepth = 24
    /// Images of nodes that are being rebuilt.
    let scratch: UnsafeMutableRawPointer
    /// Keys that are no longer part of the tree. Readers may still be reading them.
    var retired: [LongKey] = []

    init() {
        path = .allocate(capacity: Self.maximumDepth)
        scratch = .allocate(byteCount: 3 * Node.byteCount, alignment: 64)
        reader = TreeReader()
        let root = makeNode(level: 0)
        root.clear(level: 0, lower: nil, upper: nil)
        root.endChange()
        reader.setRoot(root)
    }

    var root: Node { reader.root }
    var churn: TreeChurn {
        TreeChurn(
            splits: splits, merges: merges, madeNodes: madeNodes, freedNodes: freedNodes, pages: arena.pagesEverUsed)
    }
    var byteCount: Int { arena.pagesInUse * PageArena.pageBytes + longKeyBytes }

    // MARK: - Nodes

    /// Takes a page for a node that is in change: readers that know the page retry until `endChange`.
    mutating func makeNode(level: Int) -> Node {
        madeNodes += 1
        let node = Node(arena.take())
        Shared.store64(versionFloor &+ 1, node.base)
        Shared.fenceReleasing()
        return node
    }

    /// Frees a node. Its version stays odd.
    mutating func free(_ node: Node) {
        let version = Shared.load64(node.base)
        assert(version & 1 == 1, "a node is freed while readers may trust it")
        versionFloor = max(versionFloor, version &+ 1)
        freedNodes += 1
        arena.free(node.base)
    }

    var firstImage: Node { Node(scratch) }
    var secondImage: Node { Node(scratch + Node.byteCount) }
    /// For `Node.tidy`, next to the two images.
    var tidyScratch: UnsafeMutableRawPointer { scratch + 2 * Node.byteCount }

    // MARK: - Search

    /// Finds the position of a key, and records the path for a change there.
    mutating func seek(_ key: UnsafeRawBufferPointer) -> Position {
        var node = root
        var depth = 0
        var level = node.level
        while level > 0 {
            let index = node.childIndex(key, version: Shared.load64(node.base))!
            path[depth] = Step(node: node, index: index)
            depth += 1
            let word = node.word(index)
            if level == 1 { Node.prefetchSlots(word: word) }
            node = Node(word: word)
            level -= 1
        }
        let found = node.search(key, version: Shared.load64(node.base))
        return Position(leaf: node, index: found.index, isFound: found.isEqual, depth: depth)
    }

    /// The same, with a hint that may be out of date. If the hint is used, the path isn't recorded.
    @inline(__always)
    mutating func seek(_ key: UnsafeRawBufferPointer, hint: LeafHint) -> Position {
        guard let leaf = hint.node else { return seek(key) }
        let found = hint.found(key, in: leaf) ?? leaf.search(key, version: Shared.load64(leaf.base))
        return Position(leaf: leaf, index: found.index, isFound: found.isEqual, depth: Position.unknown)
    }

    // MARK: - Insertion

    /// Inserts a key that `seek` did not find.
    ///
    /// - Returns: The leaf and the slot of the key.
    mutating func insert(
        _ key: UnsafeRawBufferPointer, word: UInt64, at position: Position
    ) -> (leaf: Node, index: Int) {
        var position = position
        while !hasSpace(for: key, in: position.leaf) {
            if position.depth == Position.unknown { position = seek(key) }
            split(position.leaf, depth: position.depth, forInsertionAt: position.index)
            position = seek(key)
        }
        count += 1
        let leaf = position.leaf
        let cell = makeCell(key, word: word, in: leaf)
        leaf.beginChange()
        leaf.insert(cell, at: position.index, scratch: tidyScratch)
        leaf.endChange()
        return (leaf, position.index)
    }

    private func hasSpace(for key: UnsafeRawBufferPointer, in node: Node) -> Bool {
        node.summary.free >= 8 + Node.Cell.bytes(keyLength: key.count - node.prefix)
    }

    private mutating func makeCell(_ key: UnsafeRawBufferPointer, word: UInt64, in node: Node) -> Node.Cell {
        guard key.count - node.prefix > Node.inlineLimit else { return Node.Cell(key: key, word: word, longKey: nil) }
        let longKey = LongKey(key)
        longKeyBytes += longKey.byteCount
        return Node.Cell(key: key, word: word, longKey: longKey)
    }

    /// Splits a node in two. If the parent has no space for another child, splits the parent instead; the caller must
    /// seek and check again.
    private mutating func split(_ node: Node, depth: Int, forInsertionAt index: Int) {
        let middle = splitPoint(of: node, forInsertionAt: index)
        node.withKey(node.slot(middle)) { upperKey in
            node.withKey(node.slot(middle - 1)) { lowerKey in
                // The shortest key that separates the two halves; in inner nodes, the key that is there.
                let common = node.isLeaf ? KeyOrder.commonPrefix(lowerKey, upperKey) + 1 : upperKey.count
                let separator = UnsafeRawBufferPointer(rebasing: upperKey.prefix(common))
                if depth == 0 {
                    growRoot(over: node)
                    split(node, at: middle, separator: separator, under: root, childIndex: 0)
                } else {
                    let parent = path[depth - 1]
                    if hasSpace(for: separator, in: parent.node) {
                        split(node, at: middle, separator: separator, under: parent.node, childIndex: parent.index)
                    } else {
                        split(parent.node, depth: depth - 1, forInsertionAt: parent.index + 1)
                    }
                }
            }
        }
    }

    /// The first slot of the right half. In the middle of the bytes, but close to an end if keys are inserted in order
    /// there, so that the nodes of such a run are well filled.
    private func splitPoint(of node: Node, forInsertionAt index: Int) -> Int {
        let count = node.count
        if index == 0 || index >= count { return splitPoint(of: node, nearUpperEnd: index > 0) }
        let half = (Node.byteCount - Node.headerBytes) / 2
        var bytes = 0
        for slot in 0..<count {
            bytes += 8 + node.slot(slot).cellBytes
            if bytes >= half { return min(max(slot, 1), count - 1) }
        }
        return count / 2
    }

    /// The slot near an end that leaves as many bytes between itself and that end as the larger half may need for
    /// another fence: cells of long keys are smaller than a fence, and don't shrink when the prefix grows.
    private func splitPoint(of node: Node, nearUpperEnd: Bool) -> Int {
        let count = node.count
        var bytes = 0
        var beyond = 0
        while beyond < count - 1, bytes < Node.fenceLimit + 1 {
            bytes += 8 + node.slot(nearUpperEnd ? count - 1 - beyond : beyond).cellBytes
            beyond += 1
        }
        return nearUpperEnd ? count - beyond : beyond
    }

    /// Adds a root above the old one, which is its only child until the split.
    private mutating func growRoot(over old: Node) {
        let new = makeNode(level: old.level + 1)
        new.clear(level: old.level + 1, lower: nil, upper: nil)
        let isAppended = new.append(Node.Cell(key: Node.lowest, word: old.word, longKey: nil))
        assert(isAppended)
        new.endChange()
        reader.setRoot(new)
    }

    private mutating func split(
        _ node: Node, at middle: Int, separator: UnsafeRawBufferPointer, under parent: Node, childIndex: Int
    ) {
        splits += 1
        let level = node.level
        let right = makeNode(level: level)
        let left = firstImage
        let image = secondImage
        left.clear(level: level, lower: node.lowerFence, upper: separator)
        image.clear(level: level, lower: separator, upper: node.upperFence)
        var isWhole = left.append(0..<middle, of: node, home: level == 0 ? node : nil)
        if level == 0 {
            isWhole = image.append(middle..<node.count, of: node, home: right) && isWhole
        } else {
            // The first key of an inner node is its lower bound, which is stored in the parent and would never be read
            // here.
            retire(keyOf: node.slot(middle), in: node)
            isWhole =
                image.append(Node.Cell(key: Node.lowest, word: node.word(middle), longKey: nil))
                && image.append(middle + 1..<node.count, of: node, home: nil) && isWhole
        }
        precondition(isWhole, "half of a node doesn't fit into a node")
        let cell = makeCell(separator, word: right.word, in: parent)
        parent.beginChange()
        node.beginChange()
        right.replaceContents(with: image)
        parent.insert(cell, at: childIndex + 1, scratch: tidyScratch)
        node.replaceContents(with: left)
        right.endChange()
        node.endChange()
        parent.endChange()
    }

    /// The key of a slot isn't needed any more.
    private mutating func retire(keyOf slot: Node.Slot, in node: Node) {
        guard slot.isExternal else { return }
        let longKey = node.longKey(slot)
        longKeyBytes -= longKey.byteCount
        retired.append(longKey)
    }

    // MARK: - Removal

    /// Removes a key that `seek` found.
    mutating func remove(at position: Position) {
        count -= 1
        var position = position
        if position.depth == Position.unknown {
            position = position.leaf.withKey(position.leaf.slot(position.index)) { seek($0) }
        }
        let leaf = position.leaf
        retire(keyOf: leaf.slot(position.index), in: leaf)
        leaf.beginChange()
        leaf.remove(at: position.index)
        leaf.endChange()
        var node = leaf
        var depth = position.depth
        while depth > 0, node.usedBytes < Self.sparse, mergeWithNeighbour(path[depth - 1]) {
            depth -= 1
            node = path[depth].node
        }
        shrinkRoot()
    }

    /// A node with fewer bytes is merged with a neighbour, if the result has at most `mergedLimit` bytes.
    private static let sparse = Node.byteCount / 4
    private static let mergedLimit = Node.byteCount * 3 / 4

    /// Merges a child and one of its neighbours. False if they don't fit.
    private mutating func mergeWithNeighbour(_ step: Step) -> Bool {
        let parent = step.node
        for rightIndex in [step.index, step.index + 1] where rightIndex >= 1 && rightIndex < parent.count {
            let left = parent.child(rightIndex - 1)
            let right = parent.child(rightIndex)
            if left.usedBytes + right.usedBytes <= Self.mergedLimit, merge(left, right, under: parent, rightIndex) {
                return true
            }
        }
        return false
    }

    private mutating func merge(_ left: Node, _ right: Node, under parent: Node, _ rightIndex: Int) -> Bool {
        let level = left.level
        let image = firstImage
        let separatorSlot = parent.slot(rightIndex)
        image.clear(level: level, lower: left.lowerFence, upper: right.upperFence)
        // The image's prefix may be shorter than theirs, so all cells may grow. Only appending shows whether they fit.
        if level > 0 { _ = image.append(Node.Cell(key: Node.lowest, word: left.word(0), longKey: nil)) }
        guard image.append((level > 0 ? 1 : 0)..<left.count, of: left, home: nil) else { return false }
        var added: LongKey?
        if level > 0 {
            let cell = parent.withKey(separatorSlot) { key -> Node.Cell? in
                let cell = makeCell(key, word: right.word(0), in: image)
                added = cell.longKey
                return image.append(cell) ? cell : nil
            }
            guard cell != nil else { return abandon(added) }
        }
        guard image.append((level > 0 ? 1 : 0)..<right.count, of: right, home: nil) else { return abandon(added) }
        merges += 1
        retire(keyOf: separatorSlot, in: parent)
        parent.beginChange()
        left.beginChange()
        right.beginChange()
        left.replaceContents(with: image)
        parent.remove(at: rightIndex)
        left.endChange()
        parent.endChange()
        if level == 0 { recordSlots(left) }
        free(right)
        return true
    }

    private mutating func abandon(_ longKey: LongKey?) -> Bool {
        if let longKey {
            longKeyBytes -= longKey.byteCount
            longKey.deallocate()
        }
        return false
    }

    /// Updates the home of the version blocks that a leaf names.
    private func recordSlots(_ leaf: Node) {
        for index in 0..<leaf.count {
            LeafWord.recordSlot(of: leaf.word(index), in: leaf, head: leaf.slot(index).head)
        }
    }

    private mutating func shrinkRoot() {
        while root.level > 0, root.count == 1 {
            let old = root
            old.beginChange()
            reader.setRoot(old.child(0))
            free(old)
        }
    }

    // MARK: - The end

    /// Frees everything. The tree must not be used afterwards, and no thread may be reading it.
    mutating func destroy() {
        destroyLongKeys(of: root)
        for longKey in retired { longKey.deallocate() }
        retired = []
        arena.destroy()
        path.deallocate()
        scratch.deallocate()
        reader.destroy()
    }

    private func destroyLongKeys(of node: Node) {
        if longKeyBytes == 0 { return }
        for index in 0..<node.count {
            let slot = node.slot(index)
            if slot.isExternal { node.longKey(slot).deallocate() }
            if !node.isLeaf { destroyLongKeys(of: node.child(index)) }
        }
    }
}

extension Node {
    /// The key of an inner node's first slot: lower than all others.
    static var lowest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
}

// MARK: - Loading

extension KeyTree {
    /// Replaces the empty tree by one that was built from sorted keys.
    mutating func adopt(root new: Node, count newCount: Int) {
        precondition(count == 0, "only an empty tree is loaded")
        count = newCount
        let old = root
        old.beginChange()
        reader.setRoot(new)
        free(old)
    }
}
