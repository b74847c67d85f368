/// A page of the undo log: places that were overwritten in their leaves while readers might still need them.
///
/// ```
///  0  count            entries, published by the writer after each
///  8  next             the writer's own: the next one in its queue
/// 16  base             the writer's own: what readers saw when the first entry came
/// 64  entries, 16 bytes each: the address of the new version, ascending │ the word that it overwrote
/// ```
///
/// An address, copied freely. Sound because entries never change once they are counted, a chunk is in exactly one
/// `UndoChunkQueue` or is the one that is being filled, and its page is used again only when no reader can have its
/// address any more (`Limbo`).
struct UndoChunk: Hashable, QueueLinked {
    let memory: UnsafeMutableRawPointer

    private static var headerBytes: Int { 64 }
    static let largestCapacity = (PageArena.pageBytes - headerBytes) / AddressEntries.entryBytes

    init(_ memory: UnsafeMutableRawPointer) { self.memory = memory }

    /// A chunk without entries.
    ///
    /// - Parameter visible: The point that readers see now.
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
    func overwritten(_ index: Int) -> Place { Place(word: entries.word(index)) }

    @inline(__always)
    func append(_ address: UInt64, over old: Place) {
        let count = count
        entries.store(address, old.word, at: count)
        Shared.storeReleasing(UInt64(count + 1), memory)
    }

    /// How many entries have an address up to this one.
    @inline(__always)
    func count(upTo address: UInt64) -> Int { entries.first(beyond: address, in: 0..<count) }

    /// What the version of this address overwrote; nil where that isn't here.
    @inline(__always)
    func overwritten(by address: UInt64) -> Place? {
        let count = count(upTo: address)
        guard count > 0, self.address(count - 1) == address else { return nil }
        return overwritten(count - 1)
    }

    // MARK: - The writer's own

    var next: UndoChunk? {
        get { memory.load(fromByteOffset: 8, as: UnsafeMutableRawPointer?.self).map { UndoChunk($0) } }
        nonmutating set { memory.storeBytes(of: newValue?.memory, toByteOffset: 8, as: UnsafeMutableRawPointer?.self) }
    }

    /// The points from which an entry may be needed. Whoever held a point already when an entry came, and needed what
    /// it overwrote, has a block for it instead; and later holds are never before what was visible then. That nothing as
    /// old as a point was overwritten here doesn't make the chunk superfluous for it: the entry may be a link on the way
    /// from a newer place to an older one.
    var points: Range<UInt64> {
        let base = memory.load(fromByteOffset: 16, as: UInt64.self)
        return base..<max(base, address(count - 1))
    }
}
