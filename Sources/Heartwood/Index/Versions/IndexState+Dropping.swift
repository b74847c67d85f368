internal import CHeartwood

/// Dropping versions that no reader can see any more, and reusing their memory.
extension IndexState {
    /// Looks at up to `limit` old versions and at up to `limit` chunks of the undo log, and drops those that no reader
    /// can see. False if nothing is left to drop or to free.
    mutating func prune(limit: Int) -> Bool {
        reclaim(limit: 4 * limit)
        let hasChunks = pruneUndo(limit: limit)
        return pruneBlocks(limit: limit) || hasChunks || expired.first != nil
    }

    private mutating func pruneUndo(limit: Int) -> Bool {
        for _ in 0..<limit {
            guard let chunk = undo.nextCandidate(visible: visible) else { return false }
            if pins.keep(chunk) { continue }
            undo.drop(chunk)
            limbo.add(.chunk(chunk), at: epochs.current)
        }
        return true
    }

    private mutating func pruneBlocks(limit: Int) -> Bool {
        for step in 0..<limit {
            if step % Self.group == 0, limit - step >= Self.group { Self.ask(for: released.first) }
            guard let version = nextCandidate() else { return false }
            if !pins.keep(version) { drop(version) }
        }
        return true
    }

    /// Released versions whose memory is prefetched together.
    private static var group: Int { 16 }

    /// Prefetches the memory that is needed to drop the next released versions: for each, the block that supersedes it
    /// and the leaf. They are rarely in a cache; this makes dropping many versions three times as fast.
    ///
    /// Static, because a non-mutating method receives a copy of the whole state: 160 instructions per put.
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

    /// If only the newest version is left, it rarely needs a block.
    private mutating func simplify(_ block: VersionBlock) {
        let version = block.version
        if version.isTombstone {
            uncount(version)
            let (leaf, index) = block.home
            let position = leaf.withKey(leaf.slot(index)) { tree.seek($0) }
            tree.remove(at: position)
        } else if version.expiry == 0 {
            let (leaf, index) = block.home
            setWord(VersionWord(version.location), leaf, index)
        } else {
            return
        }
        retire(block)
    }

    private static var reclaimShare: Int { 128 }

    mutating func retire(_ block: VersionBlock) { limbo.add(block, at: epochs.current) }

    /// Frees memory that readers can't reach any more.
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
        // Reading all counters costs as much as a few hundred frees while other threads read.
        guard limbo.weight >= Self.reclaimShare else { return }
        epochs.tryAdvance()
        guard let (blocks, others) = limbo.expired(in: epochs.current) else { return }
        expired.append(contentsOf: blocks)
        for garbage in others {
            limbo.freed(garbage.weight)
            if case .chunk(let chunk) = garbage { undo.free(chunk) } else { garbage.deallocate() }
        }
    }

    /// Bounded, because a slow reader may have kept thousands of blocks. Each one costs a cache miss, and other threads
    /// wait meanwhile.
    private mutating func free(limit: Int) {
        for _ in 0..<limit {
            guard let block = expired.popFirst() else { return }
            pool.free(block)
            limbo.freed(1)
        }
    }
}
