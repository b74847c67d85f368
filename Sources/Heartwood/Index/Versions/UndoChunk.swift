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
struct UndoChunk: Hashable {
    let memory: UnsafeMutableRawPointer

    private static var headerBytes: Int { 64 }
    static let largestCapacity = (PageArena.pageBytes - headerBytes) / 16

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
    private func entry(_ index: Int) -> UnsafeMutableRawPointer { memory + Self.headerBytes + 16 * index }

    @inline(__always)
    func address(_ index: Int) -> UInt64 { Shared.load64(entry(index)) }

    @inline(__always)
    func overwritten(_ index: Int) -> Place { Place(word: Shared.load64(entry(index) + 8)) }

    @inline(__always)
    func append(_ address: UInt64, over old: Place) {
        let count = count
        Shared.store64(address, entry(count))
        Shared.store64(old.word, entry(count) + 8)
        Shared.storeReleasing(UInt64(count + 1), memory)
    }

    /// How many entries have an address up to this one.
    @inline(__always)
    func count(upTo address: UInt64) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self.address(middle) <= address { low = middle + 1 } else { high = middle }
        }
        return low
    }

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

/// Chunks in the order in which they came, linked through themselves.
struct UndoChunkQueue {
    private(set) var first: UndoChunk?
    private var last: UndoChunk?

    mutating func append(_ chunk: UndoChunk) {
        chunk.next = nil
        if let last {
            last.next = chunk
        } else {
            first = chunk
        }
        last = chunk
    }

    mutating func popFirst() -> UndoChunk? {
        guard let chunk = first else { return nil }
        first = chunk.next
        if first == nil { last = nil }
        return chunk
    }

    /// Takes over all that `other` holds, in constant time.
    mutating func append(contentsOf other: consuming UndoChunkQueue) {
        guard let otherFirst = other.first else { return }
        if let last {
            last.next = otherFirst
        } else {
            first = otherFirst
        }
        last = other.last
    }

    func forEach<E: Error>(_ body: (UndoChunk) throws(E) -> Void) throws(E) {
        var chunk = first
        while let each = chunk {
            try body(each)
            chunk = each.next
        }
    }
}
