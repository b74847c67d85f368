internal import CHeartwood

/// A version that needs more than its place: one that expires, a tombstone, one of several of its key where the undo log
/// doesn't do.
///
/// ```
///  0  place           what readers read: these four never change while the block is reached, but `older`
///  8  expiry
/// 16  flags           1: tombstone
/// 24  older           the address of the next older version; 0: none
/// 32  newer           the writer's own from here on: the address of the next newer version
/// 40  leaf            of the newest version of a key: the leaf that names it
/// 48  head            its slot's head there
/// 56  next            in the queue of those that wait to be dropped, or to be freed
/// ```
///
/// An address, copied freely. It is sound because
/// - the newest version of a key is named by exactly one slot of a leaf, each older one by the next newer one;
/// - an older version is in exactly one `OldVersionQueue`, and only who has just taken it from there drops it;
/// - what is dropped is freed when no reader can have its address any more (`Limbo`);
/// - the writer changes it under the index's lock, and readers read through `Shared`.
struct VersionBlock: Hashable, QueueLinked {
    let address: UInt64

    static let byteCount = 64

    @inline(__always)
    init(address: UInt64) { self.address = address }

    @inline(__always)
    init(_ memory: UnsafeMutableRawPointer) { address = UInt64(UInt(bitPattern: memory)) }

    @inline(__always)
    var memory: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: UInt(address)).unsafelyUnwrapped }

    func initialize(_ version: Version, older: VersionBlock?) {
        Shared.store64(version.place.word, memory)
        Shared.store64(version.expiry, memory + 8)
        Shared.store64(version.isTombstone ? 1 : 0, memory + 16)
        Shared.store64(older?.address ?? 0, memory + 24)
        newer = nil
        next = nil
        (memory + 40).storeBytes(of: 0, as: UInt64.self)
        // What a reader finds by the word that is stored next.
        Shared.fenceReleasing()
    }

    @inline(__always)
    var version: Version {
        Version(
            place: Place(word: Shared.load64(memory)), expiry: Shared.load64(memory + 8),
            isTombstone: Shared.load64(memory + 16) & 1 != 0)
    }

    @inline(__always)
    var older: VersionBlock? {
        get {
            let address = Shared.loadAcquiring(memory + 24)
            return address == 0 ? nil : VersionBlock(address: address)
        }
        nonmutating set { Shared.storeReleasing(newValue?.address ?? 0, memory + 24) }
    }

    /// The newest version from here on that a reader at `point` sees.
    func version(at point: UInt64) -> Version? {
        var candidate = self
        while Place(word: Shared.load64(candidate.memory)).address > point {
            guard let older = candidate.older else { return nil }
            candidate = older
        }
        return candidate.version
    }

    // MARK: - The writer's own

    var newer: VersionBlock? {
        get { link(at: 32) }
        nonmutating set { setLink(newValue, at: 32) }
    }

    /// The next one in its queue.
    var next: VersionBlock? {
        get { link(at: 56) }
        nonmutating set { setLink(newValue, at: 56) }
    }

    private func link(at offset: Int) -> VersionBlock? {
        let address = memory.load(fromByteOffset: offset, as: UInt64.self)
        return address == 0 ? nil : VersionBlock(address: address)
    }

    private func setLink(_ block: VersionBlock?, at offset: Int) {
        memory.storeBytes(of: block?.address ?? 0, toByteOffset: offset, as: UInt64.self)
    }

    /// The newest version of a key is told where the slot is that names it, whenever that moves.
    @inline(__always)
    func setHome(_ leaf: Node, head: UInt32) {
        memory.storeBytes(of: leaf.word, toByteOffset: 40, as: UInt64.self)
        memory.storeBytes(of: UInt64(head), toByteOffset: 48, as: UInt64.self)
    }

    /// Asks for the block's own memory.
    func prefetch() { heartwood_prefetch(memory) }

    /// Asks for the slots among which is the one that names this newest version.
    func prefetchHome() { Node.prefetchSlots(word: memory.load(fromByteOffset: 40, as: UInt64.self)) }

    /// The slot that names this newest version.
    var home: (leaf: Node, index: Int) {
        let leaf = Node(word: memory.load(fromByteOffset: 40, as: UInt64.self))
        let head = UInt32(memory.load(fromByteOffset: 48, as: UInt64.self))
        let word = VersionWord(self).bits
        var index = leaf.firstSlot(of: leaf.count, from: head)
        while leaf.word(index) != word {
            index += 1
            precondition(index < leaf.count, "a version is not in the leaf that it was told of")
        }
        return (leaf, index)
    }

    /// The addresses at which a reader sees this old version: from its own up to that of the next newer one.
    ///
    /// Where a version between the two has been dropped the range has grown by that one's, at which nobody reads.
    var addresses: Range<UInt64> { version.address..<newer!.version.address }
}
