/// What a leaf stores for a key: the location of its newest version, whose older versions, if any, are in the undo log;
/// or the address of a block.
struct VersionWord {
    let bits: UInt64

    @inline(__always)
    init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    init(_ location: RecordLocation) { bits = location.word }

    @inline(__always)
    init(_ block: VersionBlock) { bits = block.address | 1 << 63 }

    @inline(__always)
    var block: VersionBlock? {
        bits >> 63 == 0 ? nil : VersionBlock(address: bits & ~(1 << 63))
    }

    @inline(__always)
    var location: RecordLocation? { bits >> 63 == 0 ? RecordLocation(word: bits) : nil }
}

extension VersionWord {
    /// The newest version, visible or not. For the writer, or a caller with an epoch pin.
    @inline(__always)
    var newest: Version {
        if let location { return Version(location: location) }
        return VersionBlock(address: bits & ~(1 << 63)).version
    }

    /// The address of the newest version. For the writer, or a caller with an epoch pin.
    @inline(__always)
    var newestAddress: UInt64 {
        (location ?? RecordLocation(word: Shared.load64(VersionBlock(address: bits & ~(1 << 63)).memory))).address
    }

    /// The newest version that a reader at `point` sees, tombstones included. The caller must have an epoch pin.
    @inline(__always)
    func version(at point: UInt64, _ undo: UndoReader) -> Version? {
        guard let location else { return VersionBlock(address: bits & ~(1 << 63)).version(at: point) }
        return location.address <= point ? Version(location: location) : Self.overwritten(by: location, at: point, undo)
    }

    @inline(never)
    private static func overwritten(by newest: RecordLocation, at point: UInt64, _ undo: UndoReader) -> Version? {
        var location = newest
        while location.address > point {
            guard let older = undo.overwritten(by: location.address) else { return nil }
            location = older
        }
        return Version(location: location)
    }
}
