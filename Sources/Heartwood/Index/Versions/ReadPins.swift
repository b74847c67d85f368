/// The pinned read points of read views, scans and transactions, with the old versions that are kept for them.
///
/// A sorted array: there are few pins at a time, and a new one nearly always has the highest point. It is searched for
/// every version that is superseded.
struct ReadPins {
    private struct Pin {
        let point: UInt64
        var count: Int
        var kept = Kept()
    }

    /// What is kept for a read point: old versions that have a block, and chunks of the undo log.
    struct Kept {
        var versions = OldVersionQueue()
        var chunks = UndoChunkQueue()
    }

    private var pins: [Pin] = []

    /// Pinned read points, each counted once.
    var count: Int { pins.count }

    @inline(__always)
    var isEmpty: Bool { pins.isEmpty }

    /// The lowest pinned read point.
    var lowest: UInt64? { pins.first?.point }

    mutating func add(_ point: UInt64) {
        let index = firstIndex(atLeast: point)
        if index < pins.count, pins[index].point == point {
            pins[index].count += 1
        } else {
            pins.insert(Pin(point: point, count: 1), at: index)
        }
    }

    /// Removes one pin. If it was the last one of its read point, returns what was kept for that point.
    mutating func remove(_ point: UInt64) -> Kept? {
        let index = firstIndex(atLeast: point)
        precondition(index < pins.count && pins[index].point == point, "released a point that is not pinned")
        pins[index].count -= 1
        return pins[index].count == 0 ? pins.remove(at: index).kept : nil
    }

    @inline(__always)
    func contains(oneOf addresses: Range<UInt64>) -> Bool {
        !pins.isEmpty && index(in: addresses) != nil
    }

    /// Queues the version with a read point that sees it; false if there is none.
    mutating func keep(_ version: VersionBlock) -> Bool {
        guard !pins.isEmpty, let index = index(in: version.addresses) else { return false }
        pins[index].kept.versions.append(version)
        return true
    }

    /// The same for a chunk of the undo log.
    ///
    /// Not inlined: the inlined code copies the empty array (uniqueness check) at each write of a store without read
    /// pins, which costs 90 instructions per put.
    @inline(never)
    mutating func keep(_ chunk: UndoChunk) -> Bool {
        guard !pins.isEmpty, let index = index(in: chunk.points) else { return false }
        pins[index].kept.chunks.append(chunk)
        return true
    }

    /// The index of the lowest pinned read point in the range.
    ///
    /// The lowest, because the oldest read view tends to live longest: when a pin is released, the versions that were
    /// kept for it move to another one.
    private func index(in addresses: Range<UInt64>) -> Int? {
        let index = firstIndex(atLeast: addresses.lowerBound)
        return index < pins.count && pins[index].point < addresses.upperBound ? index : nil
    }

    private func firstIndex(atLeast point: UInt64) -> Int {
        var low = 0
        var high = pins.count
        while low < high {
            let middle = (low + high) / 2
            if pins[middle].point < point {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// For the check of invariants: all pinned read points in ascending order, with what is kept for each.
    func forEach<E: Error>(_ body: (_ point: UInt64, _ kept: Kept) throws(E) -> Void) throws(E) {
        for pin in pins {
            try body(pin.point, pin.kept)
        }
    }
}
