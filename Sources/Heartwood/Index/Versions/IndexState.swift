/// The state of an index, as the writer has it: its keys, the versions of each, and what they are kept for.
///
/// A version is kept as long as a reader can see it: one at `visible`, at a held point, or at any address above
/// `visible`, which may become visible yet. With `a` its own address and `b` that of the version that superseded it, it
/// can go as soon as `b <= visible` and no point in `a..<b` is held. A removal at the bottom of a chain goes with its
/// key: no reader can tell it from an absent key.
///
/// Where an old version waits follows from that. Most are in the undo log, as long as a chunk of it is needed. Those that
/// need a block wait in `pending` as long as `b > visible`; then with a hold that sees them; and once that is released, in
/// `released` until they are looked at again.
struct IndexState {
    private(set) var tree = KeyTree()
    private var pool = BlockPool()
    private(set) var undo: UndoLog
    private var limbo = Limbo()
    /// Blocks that no reader can have any more, on their way to the pool.
    private var expired = OldVersionQueue()
    let epochs: Epochs
    /// Readers see the versions up to this address.
    private(set) var visible: UInt64 = 0
    /// The number of the last write that readers see.
    private(set) var visibleSequence: SequenceNumber = 0
    /// The last write that was added, visible or not.
    private(set) var newest: UInt64 = 0
    private(set) var newestSequence: SequenceNumber = 0
    private(set) var holds = Holds()
    var eras = Eras()
    /// In the order of the versions that superseded them, but for those that come from the undo log late: they wait for
    /// what stands before them.
    private(set) var pending = OldVersionQueue()
    private(set) var released = OldVersionQueue()

    /// Whether a thread is dropping old versions until none is left.
    var isBeingPruned = false

    /// Keys whose newest version is a value.
    private(set) var liveKeys = 0
    /// The sum of the newest values' lengths, as far as their places tell.
    private(set) var liveBytes: UInt64 = 0
    /// Old versions that have a block.
    private(set) var oldVersions = 0
    private(set) var tombstones = 0

    init(_ epochs: Epochs, undoCapacity: Int) {
        self.epochs = epochs
        undo = UndoLog(capacity: undoCapacity)
    }

    /// Frees everything. The state is of no use afterwards.
    mutating func destroy() {
        pool.destroy()
        tree.destroy()
        undo.destroy()
        limbo.destroy()
    }

    var statistics: IndexStatistics {
        IndexStatistics(
            keys: liveKeys,
            versions: tree.count + oldVersions + undo.count(visible: visible, holds.contains),
            tombstones: tombstones,
            bytes: tree.byteCount + pool.byteCount + undo.byteCount,
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
        var word = VersionWord(bits: position.leaf.word(position.index))
        let superseded = word.newest
        guard version.address > superseded.address else { return }
        uncount(superseded)
        if let place = word.place {
            if version.isPlain, overwrite(place, with: version.place, at: position) {
                count(version)
                return
            }
            word = withBlocks(place, writeFrom: start)
        }
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

    /// Puts a place over another where no block is needed. False where somebody holds a point at which the old one is
    /// read, or what it overwrote itself.
    @inline(__always)
    private mutating func overwrite(_ old: Place, with new: Place, at position: KeyTree.Position) -> Bool {
        if !holds.isEmpty, isHeld(old, supersededBy: new.address) { return false }
        if new.address > visible { undo.append(new.address, over: old, visible: visible) }
        setWord(VersionWord(new), position.leaf, position.index)
        return true
    }

    /// Whether somebody holds a point at which a place of a leaf is read, which is superseded now, or one that the undo log
    /// has behind it.
    ///
    /// Of a key that is overwritten again and again while all of it is pending only some steps are gone; what lies further
    /// back is taken for held, because blocks are always right.
    private func isHeld(_ place: Place, supersededBy address: UInt64) -> Bool {
        var oldest = place
        var steps = 0
        while let older = undo.reader.overwritten(by: oldest.address) {
            oldest = older
            steps += 1
            if steps == 8 { return true }
        }
        return holds.contains(oneOf: oldest.address..<address)
    }

    /// A place of a leaf as a word on which a block can be put: what the undo log has behind it and somebody may read
    /// gets blocks, because no reader looks into the undo log from a block.
    private mutating func withBlocks(_ place: Place, writeFrom start: UInt64) -> VersionWord {
        if place.address <= visible, holds.isEmpty { return VersionWord(place) }
        guard var next = undo.reader.overwritten(by: place.address) else { return VersionWord(place) }
        // Newest first.
        var needed: [Place] = []
        var newer = place.address
        while true {
            let isRead = newer > visible || holds.contains(oneOf: next.address..<newer)
            if isRead, next.address < start { needed.append(next) }
            newer = next.address
            guard let older = undo.reader.overwritten(by: newer) else { break }
            next = older
        }
        var older: VersionBlock?
        for place in needed.reversed() + [place] {
            let block = pool.take()
            block.initialize(Version(place: place), older: older)
            older?.newer = block
            if let older { wait(older) }
            older = block
        }
        oldVersions += needed.count
        return VersionWord(older!)
    }

    /// Queues a version that was superseded.
    private mutating func wait(_ old: VersionBlock) {
        if old.addresses.upperBound > visible || !holds.keep(old) { pending.append(old) }
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
        wait(old)
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

    // MARK: - Moving

    /// What became of a record that was to be moved.
    enum Move {
        /// It lies in its new place, or the key has a newer version, or none any more.
        case done
        /// Somebody holds a state from before it was written, or it isn't the only version of its key. Its address.
        case kept(UInt64)
    }

    /// Gives the version of a key that is the newest one up to `point` another place, before all places of logs. Does
    /// nothing to a newer version.
    ///
    /// Whoever reads at a point before the version would see it in its new place. So it stays where it is as long as such a
    /// point is held; of those that aren't held, none is before a version that is visible, but for readers on their way,
    /// who may see what is visible by now.
    mutating func move(_ key: UnsafeRawBufferPointer, to place: Place, ifUpTo point: UInt64) -> Move {
        assert(place.isInSnapshot && point <= visible)
        let position = tree.seek(key)
        guard position.isFound else { return .done }
        let word = VersionWord(bits: position.leaf.word(position.index))
        let newest = word.newest
        guard newest.address <= point, newest.place != place, !newest.isTombstone else { return .done }
        if let lowest = holds.lowest, lowest < newest.address { return .kept(newest.address) }
        guard let block = word.block else {
            setWord(VersionWord(place), position.leaf, position.index)
            return .done
        }
        guard block.older == nil else { return .kept(newest.address) }
        setNewest(Version(place: place, expiry: newest.expiry), over: nil, at: position)
        retire(block)
        return .done
    }

    /// Removes a key whose version is the newest one up to `point` and has expired. Nobody who holds it may be left.
    mutating func dropExpired(_ key: UnsafeRawBufferPointer, at time: UInt64, ifUpTo point: UInt64) -> Move {
        let position = tree.seek(key)
        guard position.isFound, let block = VersionWord(bits: position.leaf.word(position.index)).block else {
            return .done
        }
        let newest = block.version
        guard newest.address <= point, newest.expiry != 0, newest.expiry <= time else { return .done }
        guard block.older == nil else { return .kept(newest.address) }
        uncount(newest)
        tree.remove(at: position)
        retire(block)
        return .done
    }

    // MARK: - Loading

    /// Adds keys in order to a tree that is being loaded, each with one version. See `TreeLoader`.
    mutating func load(
        _ entries: some LoadableEntries, followedBy next: UnsafeRawBufferPointer?, by loader: inout TreeLoader
    ) {
        tree.arena.isFilledAtOnce = true
        let words = LoadedWords(entries: entries, pool: &pool)
        loader.add(words, followedBy: next, to: &tree)
        for index in 0..<entries.count { count(entries.version(index)) }
    }

    /// All keys were added.
    mutating func finishLoad(_ loader: inout TreeLoader) {
        loader.finish(&tree)
        tree.arena.isFilledAtOnce = false
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

    mutating func release(_ point: UInt64) {
        guard let kept = holds.remove(point) else { return }
        released.append(contentsOf: kept.versions)
        undo.release(kept.chunks)
    }

    // MARK: - Dropping

    /// Looks at up to `limit` old versions, and at as many chunks of the undo log, and drops those that nobody can see any
    /// more. False when none is left.
    mutating func prune(limit: Int) -> Bool {
        reclaim(limit: 4 * limit)
        let hasChunks = pruneUndo(limit: limit)
        return pruneBlocks(limit: limit) || hasChunks || expired.first != nil
    }

    private mutating func pruneUndo(limit: Int) -> Bool {
        for _ in 0..<limit {
            guard let chunk = undo.nextCandidate(visible: visible) else { return false }
            if holds.keep(chunk) { continue }
            undo.drop(chunk)
            limbo.add(.chunk(chunk), at: epochs.current)
        }
        return true
    }

    private mutating func pruneBlocks(limit: Int) -> Bool {
        for step in 0..<limit {
            if step % Self.group == 0, limit - step >= Self.group { Self.ask(for: released.first) }
            guard let version = nextCandidate() else { return false }
            if !holds.keep(version) { drop(version) }
        }
        return true
    }

    /// Released versions whose memory is asked for together.
    private static var group: Int { 16 }

    /// Asks for what it takes to drop the released versions that come next: of each the block over it and the leaf, which are
    /// in no cache. It makes dropping many three times as fast.
    ///
    /// Static, because a method that changes nothing is given a copy of all of the state: 160 instructions a put.
    private static func ask(for first: VersionBlock?) {
        var version = first
        for _ in 0..<group {
            guard let old = version else { break }
            old.newer?.prefetch()
            version = old.next
        }
        version = first
        for _ in 0..<group {
            guard let old = version else { break }
            if let newer = old.newer, newer.newer == nil { newer.prefetchHome() }
            version = old.next
        }
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
    private mutating func reclaim(limit: Int) {
        if !tree.retired.isEmpty {
            let epoch = epochs.current
            for longKey in tree.retired { limbo.add(.longKey(longKey), at: epoch) }
            tree.retired.removeAll(keepingCapacity: true)
        }
        if !undo.retired.isEmpty {
            let epoch = epochs.current
            for directory in undo.retired { limbo.add(.directory(directory), at: epoch) }
            undo.retired.removeAll(keepingCapacity: true)
        }
        free(limit: limit)
        // To look at all counters costs as much as a few hundred frees while others read.
        guard limbo.weight >= Self.reclaimShare else { return }
        epochs.tryAdvance()
        guard let (blocks, others) = limbo.expired(in: epochs.current) else { return }
        expired.append(contentsOf: blocks)
        for garbage in others {
            limbo.freed(garbage.weight)
            if case .chunk(let chunk) = garbage { undo.free(chunk) } else { garbage.deallocate() }
        }
    }

    /// A reader that takes long may have kept thousands of blocks: each costs a miss, and others wait meanwhile.
    private mutating func free(limit: Int) {
        for _ in 0..<limit {
            guard let block = expired.popFirst() else { return }
            pool.free(block)
            limbo.freed(1)
        }
    }
}
