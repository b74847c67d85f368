/// Changes, for the writer only. A node that readers can reach must be between `beginChange` and `endChange`.
extension Node {
    /// The contents of a new cell.
    struct Cell {
        /// The whole key.
        let key: UnsafeRawBufferPointer
        let word: UInt64
        /// The key's block outside of the node, if it has one.
        let longKey: LongKey?

        /// The size of a cell. A key longer than `inlineLimit` is stored outside of the node.
        static func bytes(keyLength: Int) -> Int { keyLength > inlineLimit ? 16 : 8 + max(0, keyLength - 4) }
    }

    /// Inserts a cell at `index`. The node must have enough `free` bytes for the cell and its slot.
    func insert(_ cell: Cell, at index: Int, scratch: UnsafeMutableRawPointer) {
        var summary = summary
        let length = cell.key.count - summary.prefix
        let bytes = cell.longKey == nil ? 8 + max(0, length - 4) : 16
        if summary.gap < bytes + 8 {
            tidy(scratch: scratch)
            summary = self.summary
        }
        precondition(summary.gap >= bytes + 8 && index <= summary.count, "a node is overfull")
        let offset = summary.heap - bytes
        let slots = base + (Self.headerBytes + 8 * index)
        if index < summary.count { Shared.move(slots + 8, from: slots, 8 * (summary.count - index)) }
        write(cell, at: offset, restLength: max(0, length - 4), prefix: summary.prefix)
        setSlot(
            index,
            Slot(
                head: KeyOrder.head(of: cell.key, from: summary.prefix), offset: offset, length: length,
                isExternal: cell.longKey != nil))
        set(Summary(count: summary.count + 1, prefix: summary.prefix, heap: offset, dead: summary.dead))
    }

    @inline(__always)
    private func write(_ cell: Cell, at offset: Int, restLength: Int, prefix: Int) {
        Shared.storeUnaligned(cell.word, base + offset)
        if let longKey = cell.longKey {
            Shared.storeUnaligned(longKey.word, base + offset + 8)
        } else if restLength > 0 {
            Shared.copyIn(base + offset + 8, from: cell.key.baseAddress! + (prefix + 4), restLength)
        }
    }

    /// Removes a slot.
    func remove(at index: Int) {
        let summary = summary
        let slot = slot(index)
        let slots = base + (Self.headerBytes + 8 * index)
        if index + 1 < summary.count { Shared.move(slots, from: slots + 8, 8 * (summary.count - index - 1)) }
        let isLast = slot.offset == summary.heap
        set(
            Summary(
                count: summary.count - 1, prefix: summary.prefix,
                heap: isLast ? summary.heap + slot.cellBytes : summary.heap,
                dead: isLast ? summary.dead : summary.dead + slot.cellBytes))
    }

    @inline(__always)
    func setWord(_ word: UInt64, at index: Int) { Shared.storeUnaligned(word, base + slot(index).offset) }

    /// Compacts the heap, so that the free bytes are contiguous.
    private func tidy(scratch: UnsafeMutableRawPointer) {
        let image = Node(scratch)
        image.clear(level: level, lower: lowerFence, upper: upperFence)
        let isWhole = image.append(0..<count, of: self, home: nil)
        assert(isWhole)
        replaceContents(with: image)
    }

    /// Copies everything except the version.
    func replaceContents(with image: Node) {
        Shared.copyIn(base + 8, from: image.base + 8, Self.byteCount - 8)
    }

    /// Appends slots of another node, whose prefix may differ. False if they don't all fit.
    ///
    /// - Parameter home: The leaf of which this node is an image. Version blocks are updated to it; nil leaves them
    ///   unchanged.
    func append(_ range: Range<Int>, of source: Node, home: Node?) -> Bool {
        let from = source.prefix
        for index in range {
            let slot = source.slot(index)
            let word = Shared.loadUnaligned(source.base + slot.offset)
            let isAppended: Bool
            if from == prefix {
                isAppended = appendSame(slot, of: source)
            } else if slot.isExternal {
                isAppended = append(Cell(key: source.longKey(slot).key, word: word, longKey: source.longKey(slot)))
            } else {
                isAppended = source.withKey(slot) { append(Cell(key: $0, word: word, longKey: nil)) }
            }
            guard isAppended else { return false }
            if let home { LeafWord.recordSlot(of: word, in: home, head: self.slot(count - 1).head) }
        }
        return true
    }

    /// Appends a cell after all others. False if it doesn't fit.
    func append(_ cell: Cell) -> Bool {
        let summary = summary
        let length = cell.key.count - summary.prefix
        let bytes = cell.longKey == nil ? 8 + max(0, length - 4) : 16
        guard summary.gap >= bytes + 8 else { return false }
        let offset = summary.heap - bytes
        write(cell, at: offset, restLength: max(0, length - 4), prefix: summary.prefix)
        setSlot(
            summary.count,
            Slot(
                head: length > 0 ? KeyOrder.head(of: cell.key, from: summary.prefix) : 0, offset: offset,
                length: max(0, length), isExternal: cell.longKey != nil))
        set(Summary(count: summary.count + 1, prefix: summary.prefix, heap: offset, dead: summary.dead))
        return true
    }

    private func appendSame(_ slot: Slot, of source: Node) -> Bool {
        let summary = summary
        let bytes = slot.cellBytes
        guard summary.gap >= bytes + 8 else { return false }
        let offset = summary.heap - bytes
        Shared.copyIn(base + offset, from: source.base + slot.offset, bytes)
        setSlot(
            summary.count, Slot(head: slot.head, offset: offset, length: slot.length, isExternal: slot.isExternal))
        set(Summary(count: summary.count + 1, prefix: summary.prefix, heap: offset, dead: summary.dead))
        return true
    }

    /// The whole key of a slot. For the writer, or for a copy of a node.
    func withKey<R>(_ slot: Slot, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        if slot.isExternal { return body(longKey(slot).key) }
        let prefix = prefix
        return withUnsafeTemporaryAllocation(byteCount: prefix + slot.length + 8, alignment: 8) { buffer in
            let key = buffer.baseAddress!
            if prefix > 0 { Shared.copyOut(key, from: lowerFence!.baseAddress!, prefix) }
            key.storeBytes(of: slot.head.bigEndian, toByteOffset: prefix, as: UInt32.self)
            if slot.length > 4 { Shared.copyOut(key + (prefix + 4), from: base + (slot.offset + 8), slot.length - 4) }
            return body(UnsafeRawBufferPointer(start: key, count: prefix + slot.length))
        }
    }
}
