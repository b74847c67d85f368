/// A node of the tree: a page of 4,096 bytes.
///
/// ```
///  0  version           odd while the writer changes the node, or the node is out of use
///  8  count · prefix length · start of the heap · dead bytes in the heap    16 bits each
/// 16  level · offset and length of the lower fence · of the upper fence     16 bits each
/// 64  slots, in the order of their keys, 8 bytes each:
///       head 32 │ unused 3 │ external 1 │ offset of the cell 12 │ key length 16
///     …free…
///     heap, filled from the end: fences and cells
///       cell: word (8 bytes: of a leaf a version word, of an inner node the child), then key bytes after its head
/// ```
///
/// Keys are stored without the prefix that all keys between the node's fences share. A slot's head is the next four
/// bytes as a number, so most steps of a search read only the slots (after Graefe's and Leis's slotted pages). If a key
/// is longer than `inlineLimit`, its cell has the address of a `LongKey` instead of the bytes.
///
/// A pointer, copied freely. Sound because pages of nodes are never unmapped while the tree lives, one writer at a time
/// changes them, and readers verify what they read by the version.
struct Node: Equatable {
    let base: UnsafeMutableRawPointer

    static let byteCount = 4_096
    static let headerBytes = 64
    /// The greatest number of key bytes after the prefix that a new cell holds.
    static let inlineLimit = 256
    /// The greatest number of bytes of a fence that are kept: enough for the prefix.
    static let fenceLimit = 255
    /// The greatest possible number of slots.
    static let maximumCount = (byteCount - headerBytes) / 16
    static let heapEnd = byteCount

    @inline(__always)
    init(_ base: UnsafeMutableRawPointer) { self.base = base }

    /// The node that a word of an inner node names.
    @inline(__always)
    init(word: UInt64) { base = UnsafeMutableRawPointer(bitPattern: UInt(word))! }

    @inline(__always)
    var word: UInt64 { UInt64(UInt(bitPattern: base)) }

    // MARK: - Version

    /// The version. Readers must load it before they read the node.
    @inline(__always)
    var version: UInt64 { Shared.loadAcquiring(base) }

    /// Whether all that was read since `version` belongs to one state of the node.
    @inline(__always)
    func isUnchanged(since version: UInt64) -> Bool {
        Shared.fenceAcquiring()
        return Shared.load64(base) == version
    }

    /// The node may be changed until `endChange`. A reader that reads it meanwhile must retry.
    @inline(__always)
    func beginChange() {
        let version = Shared.load64(base)
        assert(version & 1 == 0, "a node is changed twice at a time")
        Shared.store64(version &+ 1, base)
        Shared.fenceReleasing()
    }

    @inline(__always)
    func endChange() {
        let version = Shared.load64(base)
        assert(version & 1 == 1)
        Shared.storeReleasing(version &+ 1, base)
    }

    // MARK: - Header

    @inline(__always)
    var summary: Summary { Summary(bits: Shared.load64(base + 8)) }

    /// The fields that a search needs, in one load.
    struct Summary {
        var bits: UInt64
        @inline(__always)
        var count: Int { Int(bits & 0xFFFF) }
        @inline(__always)
        var prefix: Int { Int(bits >> 16 & 0xFFFF) }
        @inline(__always)
        var heap: Int { Int(bits >> 32 & 0xFFFF) }
        @inline(__always)
        var dead: Int { Int(bits >> 48) }

        @inline(__always)
        init(bits: UInt64) { self.bits = bits }

        @inline(__always)
        init(count: Int, prefix: Int, heap: Int, dead: Int) {
            bits = UInt64(count) | UInt64(prefix) << 16 | UInt64(heap) << 32 | UInt64(dead) << 48
        }

        /// Free bytes between slots and heap.
        @inline(__always)
        var gap: Int { heap - headerBytes - 8 * count }
        /// Bytes that are available for an insertion, if necessary after `tidy`.
        @inline(__always)
        var free: Int { gap + dead }
    }

    @inline(__always)
    func set(_ summary: Summary) { Shared.store64(summary.bits, base + 8) }

    @inline(__always)
    var count: Int { summary.count }
    @inline(__always)
    var prefix: Int { summary.prefix }
    /// 0 for a leaf.
    @inline(__always)
    var level: Int { Int(Shared.load16(base + 16)) }
    @inline(__always)
    var isLeaf: Bool { level == 0 }

    /// Bytes of slots, cells and fences.
    var usedBytes: Int { Self.byteCount - Self.headerBytes - summary.free }

    // MARK: - Slots

    struct Slot {
        var bits: UInt64

        @inline(__always)
        init(bits: UInt64) { self.bits = bits }

        @inline(__always)
        init(head: UInt32, offset: Int, length: Int, isExternal: Bool) {
            bits = UInt64(head) << 32 | (isExternal ? 1 << 28 : 0) | UInt64(offset) << 16 | UInt64(length)
        }

        @inline(__always)
        var head: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }
        @inline(__always)
        var isExternal: Bool { bits & 1 << 28 != 0 }
        @inline(__always)
        var offset: Int { Int(bits >> 16 & 0xFFF) }
        /// Bytes of the key after the node's prefix.
        @inline(__always)
        var length: Int { Int(bits & 0xFFFF) }
        /// Key bytes in the cell.
        @inline(__always)
        var restLength: Int { max(0, length - 4) }
        @inline(__always)
        var cellBytes: Int { isExternal ? 16 : 8 + restLength }
    }

    @inline(__always)
    func slot(_ index: Int) -> Slot { Slot(bits: Shared.load64(base + (Self.headerBytes + 8 * index))) }

    @inline(__always)
    func setSlot(_ index: Int, _ slot: Slot) { Shared.store64(slot.bits, base + (Self.headerBytes + 8 * index)) }

    /// The word of a slot. If the slot may be torn, check its offset first.
    @inline(__always)
    func word(_ index: Int) -> UInt64 { Shared.loadUnaligned(base + slot(index).offset) }

    @inline(__always)
    func child(_ index: Int) -> Node { Node(word: word(index)) }

    /// The key outside of the node. Only for a slot that is known not to be torn.
    @inline(__always)
    func longKey(_ slot: Slot) -> LongKey { LongKey(word: Shared.loadUnaligned(base + slot.offset + 8)) }

    // MARK: - Fences

    /// A bound of the keys that belong to a node, truncated to `fenceLimit` bytes; nil if there is none.
    var lowerFence: UnsafeRawBufferPointer? { fence(at: 18) }
    var upperFence: UnsafeRawBufferPointer? { fence(at: 22) }

    private func fence(at header: Int) -> UnsafeRawBufferPointer? {
        let offset = Int(Shared.load16(base + header))
        let length = Int(Shared.load16(base + header + 2))
        guard offset != 0, offset + length <= Self.byteCount else { return nil }
        return UnsafeRawBufferPointer(start: base + offset, count: length)
    }

    /// Initialises the memory as an empty node, except its version.
    func clear(level: Int, lower: UnsafeRawBufferPointer?, upper: UnsafeRawBufferPointer?) {
        let lower = lower.map { UnsafeRawBufferPointer(rebasing: $0.prefix(Self.fenceLimit)) }
        let upper = upper.map { UnsafeRawBufferPointer(rebasing: $0.prefix(Self.fenceLimit)) }
        var heap = Self.heapEnd
        Shared.store64(UInt64(level), base + 16)
        Shared.store64(0, base + 24)
        for (header, fence) in [(18, lower), (22, upper)] {
            guard let fence else { continue }
            heap -= fence.count
            if let source = fence.baseAddress { Shared.copyIn(base + heap, from: source, fence.count) }
            // An offset other than 0 distinguishes an empty fence at the end of the page from none.
            Shared.store16(UInt16(min(heap, Self.byteCount - 1)), base + header)
            Shared.store16(UInt16(fence.count), base + header + 2)
        }
        var prefix = 0
        if let lower, let upper { prefix = KeyOrder.commonPrefix(lower, upper) }
        set(Summary(count: 0, prefix: prefix, heap: heap, dead: 0))
    }
}

extension KeyOrder {
    /// The number of leading bytes that two keys share.
    static func commonPrefix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let limit = min(a.count, b.count)
        var common = 0
        while common < limit, a[common] == b[common] { common += 1 }
        return common
    }

    /// The four bytes from `start` on as a number; short keys are padded with zeros.
    @inline(__always)
    static func head(of key: UnsafeRawBufferPointer, from start: Int) -> UInt32 {
        let rest = key.count &- start
        let at = key.baseAddress.unsafelyUnwrapped + start
        if rest >= 4 { return UInt32(bigEndian: at.loadUnaligned(as: UInt32.self)) }
        var head: UInt32 = 0
        var index = 0
        while index < rest {
            head |= UInt32(at.load(fromByteOffset: index, as: UInt8.self)) << UInt32(24 - 8 * index)
            index += 1
        }
        return head
    }
}
