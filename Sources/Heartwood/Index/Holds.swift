/// The points that snapshots, scans and transactions read at, with the old versions that are kept for them.
///
/// A sorted array: there are few at a time, a new one is nearly always the highest, and whether a version is seen by
/// any of them is asked for every version that is superseded.
struct Holds {
    private struct Hold {
        let point: UInt64
        var count: Int
        var kept = Kept()
    }

    /// What is kept for a hold: old versions that have a block, and chunks of the undo log.
    struct Kept {
        var versions = OldVersionQueue()
        var chunks = UndoChunkQueue()
    }

    private var holds: [Hold] = []

    /// Held points, each counted once.
    var count: Int { holds.count }

    @inline(__always)
    var isEmpty: Bool { holds.isEmpty }

    /// The lowest point.
    var lowest: UInt64? { holds.first?.point }

    mutating func add(_ point: UInt64) {
        let index = firstIndex(atLeast: point)
        if index < holds.count, holds[index].point == point {
            holds[index].count += 1
        } else {
            holds.insert(Hold(point: point, count: 1), at: index)
        }
    }

    /// Takes one hold away, and returns what was kept for the point when it was the last one.
    mutating func remove(_ point: UInt64) -> Kept? {
        let index = firstIndex(atLeast: point)
        precondition(index < holds.count && holds[index].point == point, "released a point that is not held")
        holds[index].count -= 1
        return holds[index].count == 0 ? holds.remove(at: index).kept : nil
    }

    @inline(__always)
    func contains(oneOf addresses: Range<UInt64>) -> Bool {
        !holds.isEmpty && index(in: addresses) != nil
    }

    /// Queues the version with a hold that sees it; false when there is none.
    mutating func keep(_ version: VersionBlock) -> Bool {
        guard !holds.isEmpty, let index = index(in: version.addresses) else { return false }
        holds[index].kept.versions.append(version)
        return true
    }

    /// The same for a chunk of the undo log. Not inlined: the empty array would be copied at each write of a store without
    /// holds, for its uniqueness is looked at before it is known that there is something to keep (90 instructions a put).
    @inline(never)
    mutating func keep(_ chunk: UndoChunk) -> Bool {
        guard !holds.isEmpty, let index = index(in: chunk.points) else { return false }
        holds[index].kept.chunks.append(chunk)
        return true
    }

    /// The lowest hold in the range. The lowest, because the oldest snapshot tends to stay longest: a version moves
    /// from hold to hold as they are released.
    private func index(in addresses: Range<UInt64>) -> Int? {
        let index = firstIndex(atLeast: addresses.lowerBound)
        return index < holds.count && holds[index].point < addresses.upperBound ? index : nil
    }

    private func firstIndex(atLeast point: UInt64) -> Int {
        var low = 0
        var high = holds.count
        while low < high {
            let middle = (low + high) / 2
            if holds[middle].point < point {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// For the check of invariants: every hold in order, with what is kept for it.
    func forEach<E: Error>(_ body: (_ point: UInt64, _ kept: Kept) throws(E) -> Void) throws(E) {
        for hold in holds {
            try body(hold.point, hold.kept)
        }
    }
}
