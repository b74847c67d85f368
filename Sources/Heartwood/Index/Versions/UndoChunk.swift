/// A page of the undo log: locations that were overwritten in their leaves while readers might still need them.
///
/// ```
///  0  count            entries, published by the writer after each
///  8  next             writer only: the next chunk in its queue
/// 16  base             writer only: the visible point when the first entry was added
/// 64  entries, 16 bytes each: the address of the new version, ascending │ the word that it overwrote
/// ```
///
/// A pointer, copied freely. Sound because entries never change once they are counted, a chunk is in exactly one
/// `UndoChunkQueue` or is the one that is being filled, and its page is reused only when no reader can have its address
/// any more (`Limbo`).
struct UndoChunk: Hashable, QueueLinked {
    let memory: UnsafeMutableRawPointer

    private static var headerBytes: Int { 64 }
    static let largestCapacity = (PageArena.pageBytes - headerBytes) / AddressEntries.entryBytes

    init(_ memory: UnsafeMutableRawPointer) { self.memory = memory }

    /// An empty chunk.
    ///
    /// - Parameter visible: The visible point.
    init(page: UnsafeMutableRawPointer, visible: UInt64) {
        memory = page
        Shared.store64(0, memory)
        next = nil
        memory.storeBytes(of: visible, toByteOffset: 16, as: UInt64.self)
    }

    @inline(__always)
    var count: Int { Int(Shared.loadAcquiring(memory)) }

    @inline(__always)
    private var entries: AddressEntries { AddressEntries(memory: memory + Self.headerBytes) }

    @inline(__always)
    func address(_ index: Int) -> UInt64 { entries.address(index) }

    @inline(__always)
    func overwritten(_ index: Int) -> RecordLocation { RecordLocation(word: entries.word(index)) }

    @inline(__always)
    func append(_ address: UInt64, over old: RecordLocation) {
        let count = count
        entries.store(address, old.word, at: count)
        Shared.storeReleasing(UInt64(count + 1), memory)
    }

    /// The number of entries whose address is at most this one.
    @inline(__always)
    func count(upTo address: UInt64) -> Int { entries.first(beyond: address, in: 0..<count) }

    /// The location that the version at this address overwrote; nil if it isn't in this chunk.
    @inline(__always)
    func overwritten(by address: UInt64) -> RecordLocation? {
        let count = count(upTo: address)
        guard count > 0, self.address(count - 1) == address else { return nil }
        return overwritten(count - 1)
    }

    // MARK: - The writer's own

    var next: UndoChunk? {
        get { memory.load(fromByteOffset: 8, as: UnsafeMutableRawPointer?.self).map { UndoChunk($0) } }
        nonmutating set { memory.storeBytes(of: newValue?.memory, toByteOffset: 8, as: UnsafeMutableRawPointer?.self) }
    }

    /// The read points that may need an entry of this chunk.
    ///
    /// A pin that was taken before an entry was added, and needs what the entry overwrote, has a block instead. A later
    /// pin is never below what was visible then. A chunk may be needed at a point even if every location that it
    /// overwrote is newer than that point: an entry may be a step from a newer location to an older one.
    var points: Range<UInt64> {
        let base = memory.load(fromByteOffset: 16, as: UInt64.self)
        return base..<max(base, address(count - 1))
    }
}
