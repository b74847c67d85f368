/// A node of the tree: one block of raw memory with room for `capacity` slots in the order of their keys.
///
/// Layout: `Header`, the heads, the cells and, in an inner node, the children; arrays side by side, so that a search
/// runs over heads alone. A leaf's cell is a `KeyEntry`. An inner node's cell is the `Separator` that no key of the
/// child precedes and all keys of the child before it do; slot 0 needs none and has none.
///
/// A pointer, copied freely; it is sound because
/// - slots from 0 up to `count`, at most `capacity`, are initialised, and only those are read;
/// - the three arrays hold plain bits, so that moving slots is copying memory and freeing a node runs no code;
/// - a node is reached from its parent (the root from the tree) and, a leaf, from its neighbours, and the tree cuts
///   those links before it calls `destroy`; all of it under the index's lock.
struct TreeNode: Equatable {
    struct Header {
        var count: Int
        /// 0 for a leaf, else one more than that of the children.
        let level: Int
        /// The neighbours of a leaf.
        var previous: TreeNode?
        var next: TreeNode?
    }

    typealias Cell = UnsafeMutableRawPointer

    struct Slot {
        var head: UInt64
        var cell: Cell?
        var child: TreeNode?
    }

    /// Measured: with 32 inserts and lookups are slower; between 64 and 256 there is little to choose, and the fewer
    /// slots there are the fewer an insertion moves.
    static var capacity: Int { 64 }

    /// Every node but the root has at least so many slots.
    static var minimum: Int { capacity / 4 }

    private let header: UnsafeMutablePointer<Header>

    static func create(level: Int) -> TreeNode {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: byteCount(level: level), alignment: MemoryLayout<Header>.alignment)
        let header = Header(count: 0, level: level, previous: nil, next: nil)
        (memory + headsOffset).bindMemory(to: UInt64.self, capacity: capacity)
        (memory + cellsOffset).bindMemory(to: Cell?.self, capacity: capacity)
        if level > 0 {
            (memory + childrenOffset).bindMemory(to: TreeNode.self, capacity: capacity)
        }
        return TreeNode(header: memory.initializeMemory(as: Header.self, to: header))
    }

    private init(header: UnsafeMutablePointer<Header>) {
        self.header = header
    }

    /// Frees the node alone: neither what its cells point to, nor its children.
    func destroy() {
        UnsafeMutableRawPointer(header).deallocate()
    }

    private static var headsOffset: Int { MemoryLayout<Header>.stride }
    private static var cellsOffset: Int { headsOffset + capacity * MemoryLayout<UInt64>.stride }
    private static var childrenOffset: Int { cellsOffset + capacity * MemoryLayout<Cell?>.stride }

    static func byteCount(level: Int) -> Int {
        level == 0 ? childrenOffset : childrenOffset + capacity * MemoryLayout<TreeNode>.stride
    }

    var byteCount: Int { TreeNode.byteCount(level: level) }

    @inline(__always)
    private var heads: UnsafeMutablePointer<UInt64> {
        (UnsafeMutableRawPointer(header) + TreeNode.headsOffset).assumingMemoryBound(to: UInt64.self)
    }

    @inline(__always)
    private var cells: UnsafeMutablePointer<Cell?> {
        (UnsafeMutableRawPointer(header) + TreeNode.cellsOffset).assumingMemoryBound(to: Cell?.self)
    }

    /// Of an inner node only.
    @inline(__always)
    private var children: UnsafeMutablePointer<TreeNode> {
        (UnsafeMutableRawPointer(header) + TreeNode.childrenOffset).assumingMemoryBound(to: TreeNode.self)
    }

    @inline(__always)
    var count: Int { header.pointee.count }

    @inline(__always)
    var level: Int { header.pointee.level }

    @inline(__always)
    var isLeaf: Bool { level == 0 }

    var isFull: Bool { count == TreeNode.capacity }

    var previous: TreeNode? {
        get { header.pointee.previous }
        nonmutating set { header.pointee.previous = newValue }
    }

    var next: TreeNode? {
        get { header.pointee.next }
        nonmutating set { header.pointee.next = newValue }
    }
}

// MARK: - Slots

extension TreeNode {
    @inline(__always)
    func head(at index: Int) -> UInt64 {
        heads[index]
    }

    /// Of a leaf only, `index` less than `count`.
    @inline(__always)
    func entry(at index: Int) -> KeyEntry {
        KeyEntry(memory: cells[index]!)
    }

    /// Of an inner node only; nil in slot 0.
    @inline(__always)
    func separator(at index: Int) -> Separator? {
        cells[index].map(Separator.init(memory:))
    }

    /// Of an inner node only, `index` less than `count`.
    @inline(__always)
    func child(at index: Int) -> TreeNode {
        children[index]
    }

    func setSeparator(_ separator: Separator?, at index: Int) {
        heads[index] = separator.map { KeyOrder.head(of: $0.key) } ?? 0
        cells[index] = separator?.memory
    }

    func insert(_ slot: Slot, at index: Int) {
        shiftSlots(from: index, by: 1)
        heads[index] = slot.head
        cells[index] = slot.cell
        if let child = slot.child { children[index] = child }
    }

    func removeSlot(at index: Int) {
        shiftSlots(from: index + 1, by: -1)
    }

    /// Moves slots of another node of the same level here, so that the first of them comes to lie at `index`.
    func insertSlots(_ range: Range<Int>, of source: TreeNode, at index: Int) {
        shiftSlots(from: index, by: range.count)
        (heads + index).update(from: source.heads + range.lowerBound, count: range.count)
        (cells + index).update(from: source.cells + range.lowerBound, count: range.count)
        if !isLeaf {
            (children + index).update(from: source.children + range.lowerBound, count: range.count)
        }
        source.shiftSlots(from: range.upperBound, by: -range.count)
    }

    private func shiftSlots(from index: Int, by distance: Int) {
        let moved = count - index
        precondition(moved >= 0 && index + distance >= 0 && count + distance <= TreeNode.capacity)
        (heads + index + distance).update(from: heads + index, count: moved)
        (cells + index + distance).update(from: cells + index, count: moved)
        if !isLeaf {
            (children + index + distance).update(from: children + index, count: moved)
        }
        header.pointee.count += distance
    }

    /// The first slot from `first` on whose key is not less than `key`, and whether it is equal.
    @inline(__always)
    func search(head: UInt64, key: UnsafeRawBufferPointer, from first: Int) -> (index: Int, isEqual: Bool) {
        var low = first
        var high = count
        while low < high {
            let middle = (low &+ high) &>> 1
            let other = heads[middle]
            if other < head {
                low = middle &+ 1
            } else if other > head {
                high = middle
            } else {
                let order = KeyOrder.compare(self.key(at: middle), key)
                if order == 0 { return (middle, true) }
                if order < 0 {
                    low = middle &+ 1
                } else {
                    high = middle
                }
            }
        }
        return (low, false)
    }

    /// The child that the key belongs to.
    @inline(__always)
    func childIndex(head: UInt64, key: UnsafeRawBufferPointer) -> Int {
        let (index, isEqual) = search(head: head, key: key, from: 1)
        return isEqual ? index : index - 1
    }

    private func key(at index: Int) -> UnsafeRawBufferPointer {
        isLeaf ? entry(at: index).key : separator(at: index)!.key
    }
}
