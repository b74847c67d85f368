/// The state of an index, as the writer has it: its keys, the versions of each, and what they are kept for.
///
/// A version is kept as long as a reader can see it: one at `visible`, at a held point, or at any address above
/// `visible`, which may become visible yet. With `a` its own address and `b` that of the version that superseded it, it
/// can go as soon as `b <= visible` and no point in `a..<b` is held. A removal at the bottom of a chain goes with its
/// key: no reader can tell it from an absent key.
///
/// Where an old version waits follows from that. As long as `b > visible`, in `pending`; then with a hold that sees
/// it; and once that is released, in `released` until it is looked at again.
struct IndexState {
    private(set) var tree = KeyTree()
    private var pool = BlockPool()
    private var limbo = Limbo()
    let epochs: Epochs
    /// Readers see the versions up to this address.
    private(set) var visible: UInt64 = 0
    /// The number of the last write that readers see.
    private(set) var visibleSequence: SequenceNumber = 0
    /// The last write that was added, visible or not.
    private(set) var newest: UInt64 = 0
    private(set) var newestSequence: SequenceNumber = 0
    private(set) var holds = Holds()
    /// In the order of the versions that superseded them.
    private(set) var pending = OldVersionQueue()
    private(set) var released = OldVersionQueue()

    /// Keys whose newest version is a value.
    private(set) var liveKeys = 0
    /// The sum of the newest values' lengths, as far as their places tell.
    private(set) var liveBytes: UInt64 = 0
    private(set) var oldVersions = 0
    private(set) var tombstones = 0

    init(_ epochs: Epochs) { self.epochs = epochs }

    /// Frees everything. The state is of no use afterwards.
    mutating func destroy() {
        pool.destroy()
        tree.destroy()
        for longKey in limbo.allLongKeys { longKey.deallocate() }
    }

    var statistics: IndexStatistics {
        IndexStatistics(
            keys: liveKeys,
            versions: tree.count + oldVersions,
            tombstones: tombstones,
            bytes: tree.byteCount + pool.byteCount,
            liveBytes: liveBytes,
            heldPoints: holds.count)
    }

    // MARK: - Adding

    /// Adds a version of a key.
    ///
    /// - Parameter start: The first address of the write that it belongs to: of versions from there on nobody reads
    ///   any but the last.
    mutating func add(
        _ key: UnsafeRawBufferPointer, _ version: Version, writeFrom start: UInt64, hint: LeafHint = .none
    ) {
        precondition(!key.isEmpty && key.count <= Int(UInt16.max), "a key has 1 to 65,535 bytes")
        let position = tree.seek(key, hint: hint)
        guard position.isFound else {
            if !version.isTombstone {
                insert(key, version, at: position)
                count(version)
            }
            return
        }
        let word = VersionWord(bits: position.leaf.word(position.index))
        let superseded = word.newest
        guard version.address > superseded.address else { return }
        uncount(superseded)
        if canGo(superseded, supersededBy: version, writeFrom: start) {
            replace(word, with: version, at: position)
        } else {
            supersede(word, with: version, at: position)
        }
    }

    private mutating func insert(
        _ key: UnsafeRawBufferPointer, _ version: Version, at position: KeyTree.Position
    ) {
        guard version.expiry != 0 else {
            _ = tree.insert(key, word: VersionWord(version.place).bits, at: position)
            return
        }
        let block = pool.take()
        block.initialize(version, older: nil)
        let (leaf, index) = tree.insert(key, word: VersionWord(block).bits, at: position)
        block.setHome(leaf, head: leaf.slot(index).head)
    }

    /// Whether nobody reads a version once it is superseded.
    private func canGo(_ old: Version, supersededBy new: Version, writeFrom start: UInt64) -> Bool {
        if old.address >= start { return true }
        return new.address <= visible && !holds.contains(oneOf: old.address..<new.address)
    }

    /// Puts a version in the place of the newest one, which goes.
    private mutating func replace(_ word: VersionWord, with version: Version, at position: KeyTree.Position) {
        let old = word.block
        let older = old?.older
        if older == nil, version.isTombstone {
            tree.remove(at: position)
        } else if older == nil, version.expiry == 0 {
            setWord(VersionWord(version.place), position.leaf, position.index)
            count(version)
        } else {
            setNewest(version, over: older, at: position)
            count(version)
        }
        if let old { retire(old) }
    }

    /// Puts a version over the newest one, which stays.
    private mutating func supersede(_ word: VersionWord, with version: Version, at position: KeyTree.Position) {
        let old: VersionBlock
        if let block = word.block {
            old = block
        } else {
            old = pool.take()
            old.initialize(word.newest, older: nil)
        }
        setNewest(version, over: old, at: position)
        count(version)
        oldVersions += 1
        tombstones += old.version.isTombstone ? 1 : 0
        if version.address > visible || !holds.keep(old) {
            pending.append(old)
        }
    }

    private mutating func setNewest(_ version: Version, over older: VersionBlock?, at position: KeyTree.Position) {
        let block = pool.take()
        block.initialize(version, older: older)
        older?.newer = block
        block.setHome(position.leaf, head: position.leaf.slot(position.index).head)
        setWord(VersionWord(block), position.leaf, position.index)
    }

    private func setWord(_ word: VersionWord, _ leaf: Node, _ index: Int) {
        leaf.beginChange()
        leaf.setWord(word.bits, at: index)
        leaf.endChange()
    }

    private mutating func count(_ version: Version) {
        if version.isTombstone {
            tombstones += 1
        } else {
            liveKeys += 1
            liveBytes += UInt64(version.place.lengthBound)
        }
    }

    private mutating func uncount(_ version: Version) {
        if version.isTombstone {
            tombstones -= 1
        } else {
            liveKeys -= 1
            liveBytes -= UInt64(version.place.lengthBound)
        }
    }

    // MARK: - Loading

    /// Fills the empty index with keys in order, each with one version.
    mutating func load(_ entries: some LoadableEntries) {
        let words = LoadedWords(entries: entries, pool: &pool)
        TreeLoader(words).load(into: &tree)
        for index in 0..<entries.count { count(entries.version(index)) }
    }

    // MARK: - Points

    mutating func note(newest address: UInt64, _ sequence: SequenceNumber) {
        newest = address
        newestSequence = sequence
    }

    mutating func advance(to address: UInt64, _ sequence: SequenceNumber) {
        visible = max(visible, address)
        visibleSequence = max(visibleSequence, sequence)
    }

    mutating func hold(_ point: UInt64) { holds.add(point) }

    mutating func release(_ point: UInt64) { released.append(contentsOf: holds.remove(point)) }

    // MARK: - Dropping

    /// Looks at up to `limit` old versions and drops those that nobody can see any more. False when none is left.
    mutating func prune(limit: Int) -> Bool {
        reclaim()
        for _ in 0..<limit {
            guard let version = nextCandidate() else { return false }
            if !holds.keep(version) { drop(version) }
        }
        return true
    }

    private mutating func nextCandidate() -> VersionBlock? {
        if let version = released.popFirst() { return version }
        guard let version = pending.first, version.addresses.upperBound <= visible else { return nil }
        return pending.popFirst()
    }

    private mutating func drop(_ old: VersionBlock) {
        let newer = old.newer!
        let older = old.older
        oldVersions -= 1
        tombstones -= old.version.isTombstone ? 1 : 0
        newer.older = older
        older?.newer = newer
        retire(old)
        if newer.newer == nil, older == nil { simplify(newer) }
    }

    /// A newest version that is the only one left needs no block, as a rule.
    private mutating func simplify(_ block: VersionBlock) {
        let version = block.version
        if version.isTombstone {
            uncount(version)
            let (leaf, index) = block.home
            let position = leaf.withKey(leaf.slot(index)) { tree.seek($0) }
            tree.remove(at: position)
        } else if version.expiry == 0 {
            let (leaf, index) = block.home
            setWord(VersionWord(version.place), leaf, index)
        } else {
            return
        }
        retire(block)
    }

    private static var reclaimShare: Int { 128 }

    private mutating func retire(_ block: VersionBlock) { limbo.add(block, at: epochs.current) }

    /// Frees what readers can't have any more.
    private mutating func reclaim() {
        if !tree.retired.isEmpty {
            let epoch = epochs.current
            for longKey in tree.retired { limbo.add(longKey, at: epoch) }
            tree.retired.removeAll(keepingCapacity: true)
        }
        // To look at all counters costs as much as a few hundred frees while others read.
        guard limbo.count >= Self.reclaimShare else { return }
        epochs.tryAdvance()
        guard var (blocks, longKeys) = limbo.expired(in: epochs.current) else { return }
        var freed = longKeys.count
        for longKey in longKeys { longKey.deallocate() }
        longKeys = []
        while let block = blocks.popFirst() {
            pool.free(block)
            freed += 1
        }
        limbo.freed(freed)
    }
}

/// Keys in order, each once, each with a version that all readers see.
protocol LoadableEntries {
    var count: Int { get }
    func withKey<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R
    func version(_ index: Int) -> Version
}

/// Entries as words: what expires gets a block.
private struct LoadedWords<Entries: LoadableEntries>: SortedKeys {
    let entries: Entries
    /// The words of those that have a block, by index.
    private var blocks: [Int: UInt64] = [:]

    init(entries: Entries, pool: inout BlockPool) {
        self.entries = entries
        for index in 0..<entries.count {
            let version = entries.version(index)
            guard version.expiry != 0 else { continue }
            let block = pool.take()
            block.initialize(version, older: nil)
            blocks[index] = VersionWord(block).bits
        }
    }

    var count: Int { entries.count }

    func withKey<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R { entries.withKey(index, body) }

    func word(_ index: Int) -> UInt64 {
        let version = entries.version(index)
        return version.expiry == 0 ? VersionWord(version.place).bits : blocks[index]!
    }
}
