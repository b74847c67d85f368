internal import CHeartwood

/// A version that needs more than its location: it expires, is a tombstone, or is one of several versions of its key
/// that can't be in the undo log.
///
/// ```
///  0  location        readers read these four words; only `older` changes while the block is reachable
///  8  expiry
/// 16  flags           1: tombstone
/// 24  older           the address of the next older version; 0: none
/// 32  newer           writer only from here on: the address of the next newer version
/// 40  leaf            of the newest version of a key: the leaf that names it
/// 48  head            its slot's head there
/// 56  next            in the queue of those that wait to be dropped, or to be freed
/// ```
///
/// A pointer, copied freely. Sound because:
/// - the newest version of a key is named by exactly one slot of a leaf, each older one by the next newer one;
/// - an older version is in exactly one `OldVersionQueue`, and is dropped only by the thread that has just removed it
///   from there;
/// - a dropped block is freed only when no reader can have its address any more (`Limbo`);
/// - the writer changes it under the index's lock, and readers read it through `Shared`.
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
        Shared.store64(version.location.word, memory)
        Shared.store64(version.expiry, memory + 8)
        Shared.store64(version.isTombstone ? 1 : 0, memory + 16)
        Shared.store64(older?.address ?? 0, memory + 24)
        newer = nil
        next = nil
        (memory + 40).storeBytes(of: 0, as: UInt64.self)
        // Publishes the contents before the word that leads readers to this block is stored.
        Shared.fenceReleasing()
    }

    @inline(__always)
    var version: Version {
        Version(
            location: RecordLocation(word: Shared.load64(memory)), expiry: Shared.load64(memory + 8),
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

    /// The newest version, from this one on, that a reader at `point` sees.
    func version(at point: UInt64) -> Version? {
        var candidate = self
        while RecordLocation(word: Shared.load64(candidate.memory)).address > point {
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

    /// The next block in its queue.
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

    /// Records the slot that names this newest version. The tree does so itself when the slot moves.
    @inline(__always)
    func setHome(_ leaf: Node, head: UInt32) { LeafWord.recordSlot(of: VersionWord(self).bits, in: leaf, head: head) }

    /// Prefetches the block.
    func prefetch() { heartwood_prefetch(memory) }

    /// Prefetches the slots of the leaf that names this newest version.
    func prefetchHome() { Node.prefetchSlots(word: memory.load(fromByteOffset: LeafWord.leafOffset, as: UInt64.self)) }

    /// The slot that names this newest version.
    var home: (leaf: Node, index: Int) {
        let leaf = Node(word: memory.load(fromByteOffset: LeafWord.leafOffset, as: UInt64.self))
        let head = UInt32(memory.load(fromByteOffset: LeafWord.headOffset, as: UInt64.self))
        let word = VersionWord(self).bits
        var index = leaf.firstSlot(of: leaf.count, from: head)
        while leaf.word(index) != word {
            index += 1
            precondition(index < leaf.count, "a version is not in the leaf that it names")
        }
        return (leaf, index)
    }

    /// The addresses at which a reader sees this old version: from its own address up to that of the next newer
    /// version.
    ///
    /// If a version between the two has been dropped, the range includes that version's addresses. No reader reads at
    /// those.
    var addresses: Range<UInt64> { version.address..<newer!.version.address }
}
