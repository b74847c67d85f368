/// What a leaf keeps for a key: the place of its newest version, whose older ones, if any, are in the undo log; or the block
/// of the newest of several.
struct VersionWord {
    let bits: UInt64

    @inline(__always)
    init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    init(_ place: Place) { bits = place.word }

    @inline(__always)
    init(_ block: VersionBlock) { bits = block.address | 1 << 63 }

    @inline(__always)
    var block: VersionBlock? {
        bits >> 63 == 0 ? nil : VersionBlock(address: bits & ~(1 << 63))
    }

    @inline(__always)
    var place: Place? { bits >> 63 == 0 ? Place(word: bits) : nil }
}

/// What one write made of one key.
package struct Version: Sendable, Hashable {
    package var place: Place
    /// Milliseconds since 1970 from which on the value counts as gone; 0 is never.
    package var expiry: UInt64
    /// The write removed the key.
    package var isTombstone: Bool

    @inline(__always)
    package init(place: Place, expiry: UInt64 = 0, isTombstone: Bool = false) {
        self.place = place
        self.expiry = expiry
        self.isTombstone = isTombstone
    }

    @inline(__always)
    package var address: UInt64 { place.address }

    /// Its place says everything of it.
    @inline(__always)
    var isPlain: Bool { expiry == 0 && !isTombstone }

    /// Whether the value hasn't expired at a time.
    @inline(__always)
    func isAlive(at time: UInt64) -> Bool { expiry == 0 || time < expiry }
}

extension VersionWord {
    /// The newest version, whoever may see it. The caller is pinned, or the writer.
    @inline(__always)
    var newest: Version {
        if let place { return Version(place: place) }
        return VersionBlock(address: bits & ~(1 << 63)).version
    }

    /// The address of the newest version. The caller is pinned, or the writer.
    @inline(__always)
    var newestAddress: UInt64 {
        (place ?? Place(word: Shared.load64(VersionBlock(address: bits & ~(1 << 63)).memory))).address
    }

    /// The newest version that a reader at `point` sees, tombstones included. The caller is pinned.
    @inline(__always)
    func version(at point: UInt64, _ undo: UndoReader) -> Version? {
        guard let place else { return VersionBlock(address: bits & ~(1 << 63)).version(at: point) }
        return place.address <= point ? Version(place: place) : Self.overwritten(by: place, at: point, undo)
    }

    @inline(never)
    private static func overwritten(by newest: Place, at point: UInt64, _ undo: UndoReader) -> Version? {
        var place = newest
        while place.address > point {
            guard let older = undo.overwritten(by: place.address) else { return nil }
            place = older
        }
        return Version(place: place)
    }
}
