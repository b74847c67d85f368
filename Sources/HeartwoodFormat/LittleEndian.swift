/// Little-endian loads and stores at unaligned offsets.
///
/// The caller has checked the bounds: decoders compare lengths before they call these. A debug build traps if one did
/// not.
extension UnsafeRawBufferPointer {
    @inlinable
    @inline(__always)
    package func load<T: FixedWidthInteger>(_ type: T.Type = T.self, littleEndianAt offset: Int) -> T {
        assert(offset >= 0 && offset &+ MemoryLayout<T>.size <= count)
        return T(littleEndian: (baseAddress! + offset).loadUnaligned(as: T.self))
    }

    /// Whether every byte is zero. O(count).
    package var isZero: Bool {
        var position = 0
        while position &+ 8 <= count {
            if (baseAddress! + position).loadUnaligned(as: UInt64.self) != 0 { return false }
            position &+= 8
        }
        while position < count {
            if self[position] != 0 { return false }
            position &+= 1
        }
        return true
    }

    /// The part that starts at `offset` and has `count` bytes.
    @inlinable
    @inline(__always)
    package func slice(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
        assert(offset >= 0 && count >= 0 && offset &+ count <= self.count)
        return UnsafeRawBufferPointer(start: baseAddress.map { $0 + offset }, count: count)
    }
}

extension UnsafeMutableRawPointer {
    @inlinable
    @inline(__always)
    package func store<T: FixedWidthInteger>(_ value: T, littleEndianAt offset: Int) {
        (self + offset).storeBytes(of: value.littleEndian, as: T.self)
    }
}
