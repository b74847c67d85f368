/// The word that a leaf keeps for a key, as far as the tree knows it: what it means is decided above the tree.
///
/// If bit 63 is set, the other bits are the address of memory outside the tree. Whenever the slot with such a word
/// moves, the tree records there which slot it is: the leaf's word at byte 40, the head of the slot's key at byte 48.
enum LeafWord {
    static let leafOffset = 40
    static let headOffset = 48

    @inline(__always)
    static func recordSlot(of word: UInt64, in leaf: Node, head: UInt32) {
        guard word >> 63 == 1 else { return }
        let memory = UnsafeMutableRawPointer(bitPattern: UInt(word & ~(1 << 63))).unsafelyUnwrapped
        memory.storeBytes(of: leaf.word, toByteOffset: leafOffset, as: UInt64.self)
        memory.storeBytes(of: UInt64(head), toByteOffset: headOffset, as: UInt64.self)
    }
}
