internal import HeartwoodFileSystem

extension VersionedIndex {
    /// What is wrong with the index, nil when it is sound. Visits everything under the lock: for tests.
    func checkInvariants() -> String? {
        chains.withLock { chains in
            do throws(Unsoundness) {
                try chains.check()
                return nil
            } catch {
                return error.message
            }
        }
    }
}

private struct Unsoundness: Error {
    let message: String
}

private func require(_ isSound: Bool, _ message: @autoclosure () -> String) throws(Unsoundness) {
    if !isSound { throw Unsoundness(message: message()) }
}

// MARK: - Tree

extension EntryTree {
    /// Counts what a walk over the whole tree met.
    private struct Census {
        var entries = 0
        var bytes = 0
        var lastLeaf: TreeNode?
    }

    fileprivate func check() throws(Unsoundness) {
        var census = Census()
        try check(root, from: nil, to: nil, &census)
        try require(census.lastLeaf?.next == nil, "leaves are linked beyond the last one")
        try require(census.entries == count, "\(census.entries) entries, counted \(count)")
        try require(census.bytes == byteCount, "\(census.bytes) bytes, counted \(byteCount)")
    }

    private func check(
        _ node: TreeNode, from low: UnsafeRawBufferPointer?, to high: UnsafeRawBufferPointer?, _ census: inout Census
    ) throws(Unsoundness) {
        census.bytes += node.byteCount
        let minimum = node != root ? TreeNode.minimum : node.isLeaf ? 0 : 2
        try require((minimum...TreeNode.capacity).contains(node.count), "a node of \(node.count) slots")
        if node.isLeaf {
            try checkLeaf(node, from: low, to: high, &census)
            return
        }
        try require(node.separator(at: 0) == nil, "a separator in slot 0")
        for index in 0..<node.count {
            if index > 0 {
                try require(node.separator(at: index) != nil, "no separator in slot \(index)")
            }
            let separator = node.separator(at: index)
            if let separator {
                census.bytes += separator.byteCount
                try require(node.head(at: index) == KeyOrder.head(of: separator.key), "a head of another separator")
            }
            let child = node.child(at: index)
            try require(child.level == node.level - 1, "a child of level \(child.level) under \(node.level)")
            let next = index + 1 < node.count ? node.separator(at: index + 1)?.key : high
            try check(child, from: separator?.key ?? low, to: next, &census)
        }
    }

    private func checkLeaf(
        _ leaf: TreeNode, from low: UnsafeRawBufferPointer?, to high: UnsafeRawBufferPointer?, _ census: inout Census
    ) throws(Unsoundness) {
        try require(leaf.previous == census.lastLeaf, "a leaf is not linked to the one before")
        try require(census.lastLeaf == nil || census.lastLeaf?.next == leaf, "a leaf is not linked to the one behind")
        census.lastLeaf = leaf
        census.entries += leaf.count
        for index in 0..<leaf.count {
            let entry = leaf.entry(at: index)
            census.bytes += entry.byteCount
            try require(leaf.head(at: index) == KeyOrder.head(of: entry.key), "a head of another key")
            if index > 0 {
                let previous = leaf.entry(at: index - 1).key
                try require(KeyOrder.compare(previous, entry.key) < 0, "keys out of order")
            }
            try require(low.map { KeyOrder.compare($0, entry.key) <= 0 } ?? true, "a key before its separator")
            try require(high.map { KeyOrder.compare(entry.key, $0) < 0 } ?? true, "a key behind its separator")
        }
    }
}

// MARK: - Versions

extension VersionChains {
    fileprivate func check() throws(Unsoundness) {
        try tree.check()
        var chained: Set<OldVersion> = []
        var recount = IndexStatistics()
        for entry in tree.entries(in: .all) {
            try require(!entry.isObsolete, "a key that has nothing but a tombstone")
            recount.versions += 1
            if entry.newest.isTombstone {
                recount.tombstones += 1
            } else {
                recount.keys += 1
                recount.liveBytes += UInt64(entry.newest.place.length)
            }
            try checkChain(of: entry, &chained, &recount)
        }
        recount.bytes = tree.byteCount + chained.count * OldVersion.byteCount
        recount.heldSequences = holds.count
        try require(recount == statistics, "recounted \(recount), counted \(statistics)")
        try checkQueues(chained)
    }

    private func checkChain(
        of entry: KeyEntry, _ chained: inout Set<OldVersion>, _ recount: inout IndexStatistics
    ) throws(Unsoundness) {
        var newer: OldVersion?
        var candidate = entry.older
        while let old = candidate {
            try require(old.entry == entry, "a version of another entry")
            try require(old.newer == newer, "a version is not linked to the newer one")
            try require(!old.sequences.isEmpty, "a version that isn't older than the newer one")
            recount.versions += 1
            recount.tombstones += old.version.isTombstone ? 1 : 0
            chained.insert(old)
            newer = old
            candidate = old.older
        }
    }

    /// Every old version waits in exactly one queue, and in the right one.
    private func checkQueues(_ chained: Set<OldVersion>) throws(Unsoundness) {
        var unqueued = chained
        func check(
            _ queue: OldVersionQueue, _ belongs: (Range<UInt64>) -> Bool, _ name: String
        ) throws(Unsoundness) {
            var candidate = queue.first
            while let old = candidate {
                try require(unqueued.remove(old) != nil, "\(name): a version that is queued twice, or gone")
                try require(belongs(old.sequences), "\(name): a version of \(old.sequences)")
                candidate = old.next
            }
        }
        try check(pending, { _ in true }, "pending")
        try check(released, { $0.upperBound <= visible }, "released")
        try holds.forEach { (sequence, kept) throws(Unsoundness) in
            try check(kept, { $0.contains(sequence) && $0.upperBound <= visible }, "held at \(sequence)")
        }
        try require(unqueued.isEmpty, "\(unqueued.count) versions that nothing will free")
    }
}
