internal import HeartwoodConcurrency

extension VersionedIndex {
    /// Describes what is wrong with the index; nil if it is sound. For tests: visits everything under the lock.
    package func checkInvariants() -> String? {
        state.withLock { state in
            do throws(Unsoundness) {
                try state.check()
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

extension KeyTree {
    /// What a walk over the whole tree counted.
    fileprivate struct Census {
        var nodes = 0
        var keys: [[UInt8]] = []
        var words: [(leaf: Node, index: Int, word: VersionWord)] = []
        var longKeyBytes = 0
    }

    fileprivate func check() throws(Unsoundness) -> Census {
        var census = Census()
        try check(root, level: root.level, from: nil, to: nil, &census)
        try require(census.keys.count == count, "\(census.keys.count) keys, counted \(count)")
        try require(census.nodes == arena.pagesInUse, "\(census.nodes) nodes, \(arena.pagesInUse) pages in use")
        try require(
            census.longKeyBytes == longKeyBytes, "\(census.longKeyBytes) bytes outside, counted \(longKeyBytes)")
        try require(root.isLeaf || root.count > 1, "a root with one child")
        return census
    }

    private func check(
        _ node: Node, level: Int, from low: [UInt8]?, to high: [UInt8]?, _ census: inout Census
    ) throws(Unsoundness) {
        census.nodes += 1
        try require(Shared.load64(node.base) & 1 == 0, "a node that was left in change")
        try require(node.level == level, "a node of level \(node.level) where \(level) is due")
        try checkSpace(of: node)
        try require(node.lowerFence.map { [UInt8]($0) } == low.map { cut($0) }, "another lower fence")
        try require(node.upperFence.map { [UInt8]($0) } == high.map { cut($0) }, "another upper fence")
        var previous = low
        var isFirst = true
        for index in 0..<node.count {
            let slot = node.slot(index)
            let key = node.withKey(slot) { [UInt8]($0) }
            if slot.isExternal { census.longKeyBytes += node.longKey(slot).byteCount }
            if level > 0, isFirst {
                try require(slot.length == 0 && slot.head == 0, "the first slot of an inner node has a key")
            } else {
                let head = key.withUnsafeBytes { KeyOrder.head(of: $0, from: node.prefix) }
                try require(slot.head == head, "a head of another key")
                let isBehind = previous.map { KeyOrder.compare($0, key) < (isFirst ? 1 : 0) } ?? true
                try require(isBehind, "keys out of order, or before the fence")
                try require(high.map { KeyOrder.compare(key, $0) < 0 } ?? true, "a key after the upper fence")
                previous = key
            }
            if level == 0 {
                census.keys.append(key)
                census.words.append((node, index, VersionWord(bits: node.word(index))))
            } else {
                let next = index + 1 < node.count ? node.withKey(node.slot(index + 1)) { [UInt8]($0) } : high
                try check(node.child(index), level: level - 1, from: isFirst ? low : key, to: next, &census)
            }
            isFirst = false
        }
    }

    private func cut(_ fence: [UInt8]) -> [UInt8] { [UInt8](fence.prefix(Node.fenceLimit)) }

    /// Checks that cells and fences don't overlap, and that bytes that are neither used nor free are counted as dead.
    private func checkSpace(of node: Node) throws(Unsoundness) {
        var pieces: [Range<Int>] = []
        for index in 0..<node.count {
            let slot = node.slot(index)
            pieces.append(slot.offset..<slot.offset + slot.cellBytes)
        }
        for fence in [node.lowerFence, node.upperFence] {
            guard let fence, !fence.isEmpty else { continue }
            let start = UnsafeRawPointer(fence.baseAddress!) - UnsafeRawPointer(node.base)
            pieces.append(start..<start + fence.count)
        }
        pieces.sort { $0.lowerBound < $1.lowerBound }
        let summary = node.summary
        var end = summary.heap
        var used = 0
        for piece in pieces {
            try require(piece.lowerBound >= end && piece.upperBound <= Node.byteCount, "cells that overlap")
            end = piece.upperBound
            used += piece.count
        }
        try require(summary.gap >= 0, "slots that reach into the heap")
        let dead = Node.byteCount - summary.heap - used
        try require(dead == summary.dead, "\(dead) dead bytes, counted \(summary.dead)")
    }
}

// MARK: - Versions

extension IndexState {
    fileprivate func check() throws(Unsoundness) {
        let census = try tree.check()
        var chained: Set<VersionBlock> = []
        var recount = IndexStatistics()
        for (leaf, index, word) in census.words {
            recount.versions += 1
            let newest = word.newest
            if newest.isTombstone {
                recount.tombstones += 1
            } else {
                recount.keys += 1
                recount.liveBytes += UInt64(newest.location.lengthBound)
                if newest.expiry != 0 { recount.expiringBytes += UInt64(newest.location.lengthBound) }
            }
            guard let block = word.block else { continue }
            try require(block.home == (leaf, index), "a version that names another slot")
            try require(block.newer == nil, "a version is newer than the newest")
            try require(
                block.older != nil || (newest.expiry != 0 && !newest.isTombstone),
                "a block for a version that needs none, or a key that has nothing but a tombstone")
            try checkChain(below: block, &chained, &recount)
        }
        recount.versions += undo.count(visible: visible, pins.contains)
        recount.bytes = statistics.bytes
        recount.readPoints = pins.count
        try require(recount == statistics, "recounted \(recount), counted \(statistics)")
        try checkQueues(chained)
        try checkUndo()
    }

    /// Checks that every chunk waits in exactly one queue, and that entries are in ascending order over all chunks.
    private func checkUndo() throws(Unsoundness) {
        var waiting: Set<UndoChunk> = []
        func add(_ chunk: UndoChunk) throws(Unsoundness) {
            try require(waiting.insert(chunk).inserted, "a chunk of the undo log that waits twice")
        }
        if let current = undo.current { try add(current) }
        try undo.full.forEach(add)
        try undo.released.forEach(add)
        try pins.forEach { (point, kept) throws(Unsoundness) in
            try kept.chunks.forEach { (chunk) throws(Unsoundness) in
                try add(chunk)
                try require(chunk.points.contains(point), "a chunk of \(chunk.points) is kept at \(point)")
            }
        }
        var last: UInt64 = 0
        for chunk in undo.reader.directory?.chunks ?? [] {
            try require(waiting.remove(chunk) != nil, "a chunk of the undo log that nothing will drop")
            for index in 0..<chunk.count {
                let address = chunk.address(index)
                try require(address > last, "entries of the undo log out of order")
                try require(chunk.overwritten(index).address < address, "a location that a lower one has overwritten")
                last = address
            }
        }
        try require(waiting.isEmpty, "\(waiting.count) chunks of the undo log that no reader finds")
    }

    private func checkChain(
        below newest: VersionBlock, _ chained: inout Set<VersionBlock>, _ recount: inout IndexStatistics
    ) throws(Unsoundness) {
        var newer = newest
        while let old = newer.older {
            try require(old.newer == newer, "a version is not linked to the newer one")
            try require(!old.addresses.isEmpty, "a version that isn't older than the newer one")
            recount.versions += 1
            recount.tombstones += old.version.isTombstone ? 1 : 0
            chained.insert(old)
            newer = old
        }
    }

    /// Checks that every old version waits in exactly one queue, and in the right one.
    private func checkQueues(_ chained: Set<VersionBlock>) throws(Unsoundness) {
        var unqueued = chained
        func check(
            _ queue: OldVersionQueue, _ belongs: (Range<UInt64>) -> Bool, _ name: String
        ) throws(Unsoundness) {
            try queue.forEach { (old) throws(Unsoundness) in
                try require(unqueued.remove(old) != nil, "\(name): a version that is queued twice, or gone")
                try require(belongs(old.addresses), "\(name): a version of \(old.addresses)")
            }
        }
        try check(pending, { _ in true }, "pending")
        try check(released, { $0.upperBound <= visible }, "released")
        try pins.forEach { (point, kept) throws(Unsoundness) in
            try check(kept.versions, { $0.contains(point) && $0.upperBound <= visible }, "kept at \(point)")
        }
        try require(unqueued.isEmpty, "\(unqueued.count) versions that nothing will drop")
    }
}
