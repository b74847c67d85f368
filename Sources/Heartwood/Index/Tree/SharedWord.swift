/// A word that one thread at a time sets and any number read, on a cache line of its own that stays where it is.
///
/// The invariant under `@unchecked Sendable`: the memory lives until `deallocate`, which its owner calls when nobody has a
/// copy of this any more, and is reached by atomic loads and stores only.
struct SharedWord: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer

    /// Zero.
    init() {
        memory = .allocate(byteCount: 64, alignment: 64)
        Shared.store64(0, memory)
    }

    func deallocate() { memory.deallocate() }

    /// What was written before it was set is seen by whoever reads it.
    @inline(__always)
    var value: UInt64 { Shared.loadAcquiring(memory) }

    @inline(__always)
    func set(_ value: UInt64) { Shared.storeReleasing(value, memory) }
}
