/// The locations that recent writes have overwritten, for readers that don't see those writes yet.
///
/// Most overwritten locations are needed only for a moment, until the write that overwrote them is visible. With
/// blocks, each would need two of them, and a second visit to the leaf when the old version can be dropped. So the leaf
/// gets the new location at once, and an entry is appended here: the address of the new version, and the location that
/// it overwrote. A reader that finds a location beyond its read point looks up that location's address here.
///
/// Addresses increase, so the entries are sorted. A chunk of them is dropped as a whole, when all its versions are
/// visible and no read point is pinned that may need one. This is like a rollback segment in other engines that update
/// in place, but nothing is rolled back.
///
/// This type is for the writer, under the index's lock. Readers use `UndoReader`.
struct UndoLog {
    let reader: UndoReader
    private var arena = PageArena()
    private let capacity: Int
    /// The chunk that receives entries.
    private(set) var current: UndoChunk?
    /// Full chunks in order that were not yet checked for whether they can be dropped.
    private(set) var full = UndoChunkQueue()
    /// Chunks that were kept for a read pin that is released.
    private(set) var released = UndoChunkQueue()
    /// Entries in all chunks except the current one.
    private var fullCount = 0
    /// Directories that were replaced. Readers may still be reading them.
    var retired: [UndoDirectory] = []

    /// - Parameter capacity: Entries in a chunk. Less than a page holds is only for tests.
    init(capacity: Int) {
        precondition(1...UndoChunk.largestCapacity ~= capacity)
        self.capacity = capacity
        reader = UndoReader()
    }

    var byteCount: Int { arena.pagesInUse * PageArena.pageBytes }

    /// Records what the version at an address overwrites. Must be called before the leaf changes.
    @inline(__always)
    mutating func append(_ address: UInt64, over old: RecordLocation, visible: UInt64) {
        assert(old.address < address)
        if let current, current.count < capacity {
            current.append(address, over: old)
        } else {
            appendToNewChunk(address, over: old, visible: visible)
        }
    }

    @inline(never)
    private mutating func appendToNewChunk(_ address: UInt64, over old: RecordLocation, visible: UInt64) {
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

    /// A full chunk that may have become unnecessary and was not checked since. The caller must keep it with a read pin
    /// or drop it.
    mutating func nextCandidate(visible: UInt64) -> UndoChunk? {
        if let chunk = released.popFirst() { return chunk }
        guard let chunk = full.first, chunk.points.upperBound <= visible else { return nil }
        return full.popFirst()
    }

    /// Takes back the chunks that were kept for a released read pin.
    mutating func release(_ chunks: consuming UndoChunkQueue) { released.append(contentsOf: chunks) }

    /// Makes a chunk unreachable. Its page must be freed when its readers are gone.
    mutating func drop(_ chunk: UndoChunk) {
        fullCount -= chunk.count
        reader.directory!.remove(chunk)
    }

    mutating func free(_ chunk: UndoChunk) { arena.free(chunk.memory) }

    /// Entries that a reader may need. An upper bound: of a chunk that is kept for a read pin, all entries count.
    func count(visible: UInt64, _ isPinned: (Range<UInt64>) -> Bool) -> Int {
        var count = fullCount
        full.forEach { if !isPinned($0.points) { count -= $0.count(upTo: visible) } }
        if let current { count += current.count - (isPinned(current.points) ? 0 : current.count(upTo: visible)) }
        return count
    }

    /// Frees everything. The log must not be used afterwards, and no thread may be reading it.
    mutating func destroy() {
        for directory in retired { directory.deallocate() }
        arena.destroy()
        reader.destroy()
    }
}

/// The readers' side of the undo log: the address of its directory.
struct UndoReader: Sendable {
    private let cell = SharedWord()

    fileprivate func destroy() {
        directory?.deallocate()
        cell.deallocate()
    }

    @inline(__always)
    var directory: UndoDirectory? { UndoDirectory(word: cell.value) }

    fileprivate func setDirectory(_ directory: UndoDirectory) { cell.set(directory.word) }

    /// The location that the version at this address overwrote. For the writer, or a caller with an epoch pin.
    ///
    /// Nil if the key was new; if the version was visible as soon as it was added; or if the overwritten location isn't
    /// needed any more. In the last case the version is visible by now, and a pinned read point needs nothing here
    /// either.
    func overwritten(by address: UInt64) -> RecordLocation? {
        directory?.chunk(of: address)?.overwritten(by: address)
    }
}

/// The chunks, sorted by their first addresses.
///
/// ```
///  0  start            of the entries in use
///  8  end
/// 16  capacity
/// 64  entries, 16 bytes each: the chunk's first address │ the chunk, 0: dropped
/// ```
///
/// A pointer, copied freely. Sound because an entry in use changes only when its chunk is dropped, entries are never
/// reused, and a replaced directory is freed only when no reader can have its address any more (`Limbo`).
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

    /// A copy of a directory with one more chunk and without the dropped ones.
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

    /// The last entry whose chunk begins at or below this address; nil if all begin above it.
    @inline(__always)
    private func index(of address: UInt64) -> Int? {
        let start = start
        let next = entries.first(beyond: address, in: start..<end)
        return next > start ? next - 1 : nil
    }

    /// The chunk that contains an address, if there is one.
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
