/// The writer's state of an index: the keys, their versions, and what the versions are kept for.
///
/// A version is kept as long as a reader can see it: at `visible`, at a pinned read point, or at an address above
/// `visible`, which may become visible later. Let `a` be its address and `b` that of the version that superseded it. It
/// can be dropped when `b <= visible` and no point in `a..<b` is pinned. A tombstone that is the oldest version of its
/// key is dropped together with the key: no reader can tell it from an absent key.
///
/// This decides where an old version waits. Most are in the undo log, as long as their chunk is needed. A version that
/// needs a block waits in `pending` while `b > visible`, then with a read point that sees it. When that point is
/// released, it waits in `released` until it is looked at again.
struct IndexState {
    var tree = KeyTree()
    var pool = BlockPool()
    var undo: UndoLog
    var limbo = Limbo()
    /// Blocks that no reader can reach, waiting to return to the pool.
    var expired = OldVersionQueue()
    let epochs: Epochs
    /// Readers see the versions up to this address.
    private(set) var visible: UInt64 = 0
    /// The sequence number of the last visible write.
    private(set) var visibleSequence: SequenceNumber = 0
    /// The last write that was added, visible or not.
    private(set) var newest: UInt64 = 0
    private(set) var newestSequence: SequenceNumber = 0
    var pins = ReadPins()
    var pinEpochs = PinEpochs()
    /// Sorted by the address of the version that superseded them. Exception: versions that come late from the undo log;
    /// they wait until those in front of them are dropped.
    var pending = OldVersionQueue()
    var released = OldVersionQueue()

    /// Whether a thread is dropping old versions until none is left.
    var isBeingPruned = false

    /// Keys whose newest version is a value.
    private(set) var liveKeys = 0
    /// The sum of the newest records' lengths, as far as their locations tell.
    private(set) var liveBytes: UInt64 = 0
    /// How many of these have an expiry, which may be over.
    private(set) var expiringBytes: UInt64 = 0
    /// Old versions that have a block.
    var oldVersions = 0
    var tombstones = 0

    init(_ epochs: Epochs, undoCapacity: Int) {
        self.epochs = epochs
        undo = UndoLog(capacity: undoCapacity)
    }

    /// Frees everything. The state must not be used afterwards.
    mutating func destroy() {
        pool.destroy()
        tree.destroy()
        undo.destroy()
        limbo.destroy()
    }

    var statistics: IndexStatistics {
        IndexStatistics(
            keys: liveKeys,
            versions: tree.count + oldVersions + undo.count(visible: visible, pins.contains),
            tombstones: tombstones,
            bytes: tree.byteCount + pool.byteCount + undo.byteCount,
            liveBytes: liveBytes, expiringBytes: expiringBytes,
            readPoints: pins.count)
    }

    // MARK: - Adding

    /// Adds a version of a key.
    ///
    /// - Parameter start: The first address of the write that the version belongs to. Of several versions from there
    ///   on, readers see only the last.
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
        if let location = word.location {
            if version.isPlain, overwrite(location, with: version.location, at: position) {
                count(version)
                return
            }
            word = withBlocks(location, writeFrom: start)
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
            _ = tree.insert(key, word: VersionWord(version.location).bits, at: position)
            return
        }
        let block = pool.take()
        block.initialize(version, older: nil)
        let (leaf, index) = tree.insert(key, word: VersionWord(block).bits, at: position)
        block.setHome(leaf, head: leaf.slot(index).head)
    }

    /// Replaces one location by another if no block is needed. False if a read pin needs the old location, or one that
    /// it has overwritten itself.
    @inline(__always)
    private mutating func overwrite(_ old: RecordLocation, with new: RecordLocation, at position: KeyTree.Position)
        -> Bool
    {
        if !pins.isEmpty, isPinned(old, supersededBy: new.address) { return false }
        if new.address > visible { undo.append(new.address, over: old, visible: visible) }
        setWord(VersionWord(new), position.leaf, position.index)
        return true
    }

    /// Whether a read point is pinned that needs a location that is being superseded, or one that the undo log has for
    /// the same key.
    ///
    /// Looks at most eight versions back. A key that was overwritten more often while all of it is pending counts as
    /// needed, because blocks are always correct.
    private func isPinned(_ location: RecordLocation, supersededBy address: UInt64) -> Bool {
        var oldest = location
        var steps = 0
        while let older = undo.reader.overwritten(by: oldest.address) {
            oldest = older
            steps += 1
            if steps == 8 { return true }
        }
        return pins.contains(oneOf: oldest.address..<address)
    }

    /// Converts the word of a leaf, so that a block can be linked to it. Readers don't go from a block to the undo log,
    /// so everything that the undo log has for the key and that may still be read gets a block.
    private mutating func withBlocks(_ location: RecordLocation, writeFrom start: UInt64) -> VersionWord {
        if location.address <= visible, pins.isEmpty { return VersionWord(location) }
        guard var next = undo.reader.overwritten(by: location.address) else { return VersionWord(location) }
        // Newest first.
        var needed: [RecordLocation] = []
        var newer = location.address
        while true {
            let isRead = newer > visible || pins.contains(oneOf: next.address..<newer)
            if isRead, next.address < start { needed.append(next) }
            newer = next.address
            guard let older = undo.reader.overwritten(by: newer) else { break }
            next = older
        }
        var older: VersionBlock?
        for location in needed.reversed() + [location] {
            let block = pool.take()
            block.initialize(Version(location: location), older: older)
            older?.newer = block
            if let older { wait(older) }
            older = block
        }
        oldVersions += needed.count
        return VersionWord(older!)
    }

    /// Queues a superseded version.
    private mutating func wait(_ old: VersionBlock) {
        if old.addresses.upperBound > visible || !pins.keep(old) { pending.append(old) }
    }

    /// Whether no reader needs a version after it is superseded.
    private func canGo(_ old: Version, supersededBy new: Version, writeFrom start: UInt64) -> Bool {
        if old.address >= start { return true }
        return new.address <= visible && !pins.contains(oneOf: old.address..<new.address)
    }

    /// Replaces the newest version, which is dropped.
    private mutating func replace(_ word: VersionWord, with version: Version, at position: KeyTree.Position) {
        let old = word.block
        let older = old?.older
        if older == nil, version.isTombstone {
            tree.remove(at: position)
        } else if older == nil, version.expiry == 0 {
            setWord(VersionWord(version.location), position.leaf, position.index)
            count(version)
        } else {
            setNewest(version, over: older, at: position)
            count(version)
        }
        if let old { retire(old) }
    }

    /// Adds a version over the newest one, which is kept.
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

    func setWord(_ word: VersionWord, _ leaf: Node, _ index: Int) {
        leaf.beginChange()
        leaf.setWord(word.bits, at: index)
        leaf.endChange()
    }

    private mutating func count(_ version: Version) {
        if version.isTombstone {
            tombstones += 1
        } else {
            liveKeys += 1
            liveBytes += UInt64(version.location.lengthBound)
            if version.expiry != 0 { expiringBytes += UInt64(version.location.lengthBound) }
        }
    }

    mutating func uncount(_ version: Version) {
        if version.isTombstone {
            tombstones -= 1
        } else {
            liveKeys -= 1
            liveBytes -= UInt64(version.location.lengthBound)
            if version.expiry != 0 { expiringBytes -= UInt64(version.location.lengthBound) }
        }
    }

    // MARK: - Moving

    /// The result of moving a record.
    enum Move {
        /// It is moved, or nothing is to be moved: the key has a newer version, or none.
        case done
        /// It is not moved, because a read point below it is pinned or its key has older versions. Its address.
        case kept(UInt64)
    }

    /// Gives a key's version a location in a snapshot, if the version is the newest one up to `point`. A newer version
    /// is not changed.
    ///
    /// The new address is lower than every address in the log, so a reader at a point below the version would see it.
    /// The version therefore isn't moved while such a point is pinned. No such point can be pinned later, because the
    /// version is already visible. A read in progress without a pin may see the version, because it is visible now.
    mutating func move(_ key: UnsafeRawBufferPointer, to location: RecordLocation, ifUpTo point: UInt64) -> Move {
        assert(location.isInSnapshot && point <= visible)
        let position = tree.seek(key)
        guard position.isFound else { return .done }
        let word = VersionWord(bits: position.leaf.word(position.index))
        let newest = word.newest
        guard newest.address <= point, newest.location != location, !newest.isTombstone else { return .done }
        if let lowest = pins.lowest, lowest < newest.address { return .kept(newest.address) }
        guard let block = word.block else {
            setWord(VersionWord(location), position.leaf, position.index)
            return .done
        }
        guard block.older == nil else { return .kept(newest.address) }
        setNewest(Version(location: location, expiry: newest.expiry), over: nil, at: position)
        retire(block)
        return .done
    }

    /// Removes a key whose version is the newest one up to `point` and has expired. The read pins that could see it
    /// must be released.
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

    /// Adds sorted keys, each with one version, to a tree that is being loaded. See `TreeLoader`.
    mutating func load(
        _ entries: some SortedVersions, followedBy next: UnsafeRawBufferPointer?, by loader: inout TreeLoader
    ) {
        tree.arena.isFilledAtOnce = true
        let words = LoadedWords(entries: entries, pool: &pool)
        loader.add(words, followedBy: next, to: &tree)
        for index in 0..<entries.count { count(entries.version(index)) }
    }

    /// Ends the loading, after all keys are added.
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

    mutating func pin(_ point: UInt64) { pins.add(point) }

    mutating func release(_ point: UInt64) {
        guard let kept = pins.remove(point) else { return }
        released.append(contentsOf: kept.versions)
        undo.release(kept.chunks)
    }
}
