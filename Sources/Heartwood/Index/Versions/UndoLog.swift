/// What overwritten keys had before, for readers that don't see the newest version yet.
///
/// A place that is overwritten while somebody may still read the old version would need a block for each of the two, and
/// a second visit to the leaf when the old one can go. Most such places are overwritten by a write that is visible a
/// moment later. So the new place goes over the old one in the leaf, and an entry is appended here: the address of the
/// new version, and the place that it overwrote. A reader whose point is before the place that it finds looks for that
/// place's address here. Addresses grow, so entries are in order, and a chunk of them goes as a whole once all its
/// versions are visible and nobody holds a point from which one is needed (a rollback segment, as in other engines that
/// update in place).
///
/// This is the writer's side, under the index's lock.
struct UndoLog {
    let reader: UndoReader
    private var arena = PageArena()
    private let capacity: Int
    /// Takes entries.
    private(set) var current: UndoChunk?
    /// Full ones in order, of which nobody has looked yet whether they can go.
    private(set) var full = UndoChunkQueue()
    /// They were kept for a hold that is gone.
    private(set) var released = UndoChunkQueue()
    /// Entries in all chunks but the current one.
    private var fullCount = 0
    /// Takes directories that were replaced; readers may still be reading them.
    var retired: [UndoDirectory] = []

    /// - Parameter capacity: Entries of a chunk; less than a page holds only for tests.
    init(capacity: Int) {
        precondition(1...UndoChunk.largestCapacity ~= capacity)
        self.capacity = capacity
        reader = UndoReader()
    }

    var byteCount: Int { arena.pagesInUse * PageArena.pageBytes }

    /// Notes what the version of an address overwrites; before it does.
    @inline(__always)
    mutating func append(_ address: UInt64, over old: Place, visible: UInt64) {
        assert(old.address < address)
        if let current, current.count < capacity {
            current.append(address, over: old)
        } else {
            appendToNewChunk(address, over: old, visible: visible)
        }
    }

    @inline(never)
    private mutating func appendToNewChunk(_ address: UInt64, over old: Place, visible: UInt64) {
        if let current {
            full.append(current)
            fullCount += current.count
        }
        let chunk = UndoChunk(page: arena.take(), visible: visible)
        chunk.append(address, over: old)
        if let directory = reader.directory, !directory.isFull {
            directory.append(chunk)
        } else {
            let old = reader.directory
            reader.setDirectory(UndoDirectory(replacing: old, with: chunk))
            if let old { retired.append(old) }
        }
        current = chunk
    }

    /// A full chunk that wasn't looked at since it may have become superfluous. The caller keeps it with a hold or drops it.
    mutating func nextCandidate(visible: UInt64) -> UndoChunk? {
        if let chunk = released.popFirst() { return chunk }
        guard let chunk = full.first, chunk.points.upperBound <= visible else { return nil }
        return full.popFirst()
    }

    /// What was kept for a hold that is gone.
    mutating func release(_ chunks: consuming UndoChunkQueue) { released.append(contentsOf: chunks) }

    /// Makes a chunk unreachable. Its page is to be given back when its readers are gone.
    mutating func drop(_ chunk: UndoChunk) {
        fullCount -= chunk.count
        reader.directory!.remove(chunk)
    }

    mutating func free(_ chunk: UndoChunk) { arena.free(chunk.memory) }

    /// Entries that a reader may need, as far as a look at the chunks tells: of one that is kept for a hold, all.
    func count(visible: UInt64, _ isHeld: (Range<UInt64>) -> Bool) -> Int {
        var count = fullCount
        full.forEach { if !isHeld($0.points) { count -= $0.count(upTo: visible) } }
        if let current { count += current.count - (isHeld(current.points) ? 0 : current.count(upTo: visible)) }
        return count
    }

    /// Frees everything. The log is of no use afterwards, and nobody may be reading it.
    mutating func destroy() {
        for directory in retired { directory.deallocate() }
        arena.destroy()
        reader.destroy()
    }
}

/// The undo log as readers see it: the address of its directory.
struct UndoReader: Sendable {
    private let cell = SharedWord()

    fileprivate func destroy() {
        directory?.deallocate()
        cell.deallocate()
    }

    @inline(__always)
    var directory: UndoDirectory? { UndoDirectory(word: cell.value) }

    fileprivate func setDirectory(_ directory: UndoDirectory) { cell.set(directory.word) }

    /// What the version of this address overwrote. The caller is pinned, or the writer.
    ///
    /// Nil where the key was new; where the version was visible as soon as it was there; and where what it overwrote isn't
    /// needed any more: then the version is visible by now, and for held points there was nothing either.
    func overwritten(by address: UInt64) -> Place? {
        directory?.chunk(of: address)?.overwritten(by: address)
    }
}

/// The chunks by their first addresses, ascending.
///
/// ```
///  0  start            of the entries in use
///  8  end
/// 16  capacity
/// 64  entries, 16 bytes each: the chunk's first address │ the chunk, 0: dropped
/// ```
///
/// An address, copied freely. Sound because an entry never changes while it is in use, but for the chunk that is
/// dropped, entries are never used twice, and a directory that was replaced is freed only when no reader can have its address
/// any more (`Limbo`).
struct UndoDirectory {
    private let memory: UnsafeMutableRawPointer

    private static var headerBytes: Int { 64 }

    @inline(__always)
    init?(word: UInt64) {
        guard let memory = UnsafeMutableRawPointer(bitPattern: UInt(word)) else { return nil }
        self.memory = memory
    }

    @inline(__always)
    var word: UInt64 { UInt64(UInt(bitPattern: memory)) }

    /// One with a chunk more than another, without its dropped ones.
    fileprivate init(replacing old: UndoDirectory?, with chunk: UndoChunk) {
        let chunks = (old?.chunks ?? []) + [chunk]
        let capacity = max(16, 2 * chunks.count)
        memory = .allocate(byteCount: Self.headerBytes + AddressEntries.entryBytes * capacity, alignment: 64)
        Shared.store64(0, memory)
        Shared.store64(0, memory + 8)
        Shared.store64(UInt64(capacity), memory + 16)
        for chunk in chunks { append(chunk) }
    }

    func deallocate() { memory.deallocate() }

    @inline(__always)
    private var start: Int { Int(Shared.loadAcquiring(memory)) }
    @inline(__always)
    private var end: Int { Int(Shared.loadAcquiring(memory + 8)) }
    @inline(__always)
    private var entries: AddressEntries { AddressEntries(memory: memory + Self.headerBytes) }
    @inline(__always)
    private func chunk(_ index: Int) -> UndoChunk? {
        UnsafeMutableRawPointer(bitPattern: UInt(entries.word(index))).map { UndoChunk($0) }
    }

    /// The last entry whose chunk begins at this address or before, nil when all begin later.
    @inline(__always)
    private func index(of address: UInt64) -> Int? {
        let start = start
        let next = entries.first(beyond: address, in: start..<end)
        return next > start ? next - 1 : nil
    }

    /// The chunk that has an address, if any has.
    @inline(__always)
    func chunk(of address: UInt64) -> UndoChunk? { index(of: address).flatMap { chunk($0) } }

    /// In order, without the dropped ones.
    var chunks: [UndoChunk] { (start..<end).compactMap { chunk($0) } }

    // MARK: - The writer's own

    fileprivate var isFull: Bool { end == Int(Shared.load64(memory + 16)) }

    fileprivate func append(_ chunk: UndoChunk) {
        let end = end
        entries.store(chunk.address(0), UInt64(UInt(bitPattern: chunk.memory)), at: end)
        Shared.storeReleasing(UInt64(end + 1), memory + 8)
    }

    fileprivate func remove(_ chunk: UndoChunk) {
        let index = index(of: chunk.address(0))!
        precondition(self.chunk(index) == chunk, "a chunk of the undo log is dropped twice")
        entries.change(index, to: 0)
        var start = start
        while start < end, self.chunk(start) == nil { start += 1 }
        Shared.storeReleasing(UInt64(start), memory)
    }
}
