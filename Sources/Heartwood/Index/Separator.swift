/// The lower bound of a subtree, in a block of memory of its own that belongs to the one inner slot it lies in.
///
/// Layout: a `UInt16` of length, then the bytes. Sound because `create` sizes the block for the length it records, the
/// bytes never change, and the tree calls `destroy` when the slot is emptied or gets another separator.
struct Separator {
    let memory: UnsafeMutableRawPointer

    @inline(__always)
    init(memory: UnsafeMutableRawPointer) {
        self.memory = memory
    }

    /// The shortest key that is greater than `low` and not greater than `high`, which tells the two apart.
    ///
    /// Shortened, because most separators of long keys then fit into a head.
    static func create(between low: UnsafeRawBufferPointer, and high: UnsafeRawBufferPointer) -> Separator {
        var common = 0
        while common < low.count, low[common] == high[common] {
            common += 1
        }
        let key = UnsafeRawBufferPointer(rebasing: high[...common])
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 2 + key.count, alignment: 2)
        memory.storeBytes(of: UInt16(key.count), as: UInt16.self)
        (memory + 2).copyMemory(from: key.baseAddress!, byteCount: key.count)
        return Separator(memory: memory)
    }

    func destroy() {
        memory.deallocate()
    }

    var byteCount: Int { 2 + key.count }

    @inline(__always)
    var key: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + 2, count: Int(memory.load(as: UInt16.self)))
    }
}
