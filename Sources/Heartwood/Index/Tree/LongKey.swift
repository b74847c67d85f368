internal import HeartwoodFileSystem

/// A key that is too long for a node, in a block of its own: its length, a link, its bytes.
///
/// A pointer, copied freely. Sound because a block belongs to the one cell that names it, never changes while it does,
/// and is freed only when no reader can have its address any more (`Limbo`).
struct LongKey {
    let base: UnsafeMutableRawPointer
    private static var bytesOffset: Int { 16 }

    @inline(__always)
    init(word: UInt64) { base = UnsafeMutableRawPointer(bitPattern: UInt(word))! }

    init(_ key: UnsafeRawBufferPointer) {
        base = .allocate(byteCount: Self.bytesOffset + key.count, alignment: 16)
        Shared.store64(UInt64(key.count), base)
        Shared.store64(0, base + 8)
        Shared.copyIn(base + Self.bytesOffset, from: key.baseAddress!, key.count)
    }

    @inline(__always)
    var word: UInt64 { UInt64(UInt(bitPattern: base)) }
    @inline(__always)
    var count: Int { Int(Shared.load64(base)) }
    var byteCount: Int { Self.bytesOffset + count }
    @inline(__always)
    var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base + Self.bytesOffset, count: count) }

    /// The next key that waits to be freed.
    var next: UInt64 {
        get { Shared.load64(base + 8) }
        nonmutating set { Shared.store64(newValue, base + 8) }
    }

    func deallocate() { base.deallocate() }
}
