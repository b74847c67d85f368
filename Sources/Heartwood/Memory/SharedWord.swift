/// A word that one thread at a time sets and any number of threads read. It has a cache line of its own and a fixed
/// address.
///
/// `@unchecked Sendable` is sound because the memory is accessed only by atomic loads and stores, and lives until
/// `deallocate`, which the owner calls when no thread has a copy of this value any more.
struct SharedWord: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer

    /// Starts as zero.
    init() {
        memory = .allocate(byteCount: 64, alignment: 64)
        Shared.store64(0, memory)
    }

    func deallocate() { memory.deallocate() }

    /// A reader of this value sees everything that was written before it was set.
    @inline(__always)
    var value: UInt64 { Shared.loadAcquiring(memory) }

    @inline(__always)
    func set(_ value: UInt64) { Shared.storeReleasing(value, memory) }
}
