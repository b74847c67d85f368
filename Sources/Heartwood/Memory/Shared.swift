internal import CHeartwood

/// Access to memory that readers read without a lock while the writer writes it.
///
/// A value that a reader loads may be torn. It must not be used until the version of its node is known to be unchanged
/// (`Node.isUnchanged`); until then, no pointer in it may be followed. In builds for ThreadSanitizer
/// (`HEARTWOOD_CHECKED_MEMORY`), each byte is a relaxed atomic in instrumented C.
enum Shared {
    #if HEARTWOOD_CHECKED_MEMORY
    @inline(__always)
    static func load16(_ at: UnsafeRawPointer) -> UInt16 { heartwood_checked_load16(at) }
    @inline(__always)
    static func load64(_ at: UnsafeRawPointer) -> UInt64 { heartwood_checked_load64(at) }
    @inline(__always)
    static func store16(_ value: UInt16, _ at: UnsafeMutableRawPointer) { heartwood_checked_store16(at, value) }
    @inline(__always)
    static func store64(_ value: UInt64, _ at: UnsafeMutableRawPointer) { heartwood_checked_store64(at, value) }
    @inline(__always)
    static func loadAcquiring(_ at: UnsafeRawPointer) -> UInt64 { heartwood_checked_load64_acquire(at) }
    @inline(__always)
    static func storeReleasing(_ value: UInt64, _ at: UnsafeMutableRawPointer) {
        heartwood_checked_store64_release(at, value)
    }
    @inline(__always)
    static func loadUnaligned(_ at: UnsafeRawPointer) -> UInt64 { heartwood_checked_load64_unaligned(at) }
    @inline(__always)
    static func storeUnaligned(_ value: UInt64, _ at: UnsafeMutableRawPointer) {
        heartwood_checked_store64_unaligned(at, value)
    }
    @inline(__always)
    static func copyOut(_ to: UnsafeMutableRawPointer, from: UnsafeRawPointer, _ count: Int) {
        heartwood_checked_copy_out(to, from, count)
    }
    @inline(__always)
    static func copyIn(_ to: UnsafeMutableRawPointer, from: UnsafeRawPointer, _ count: Int) {
        heartwood_checked_copy_in(to, from, count)
    }
    @inline(__always)
    static func move(_ to: UnsafeMutableRawPointer, from: UnsafeRawPointer, _ count: Int) {
        heartwood_checked_move(to, from, count)
    }
    /// As `memcmp`.
    @inline(__always)
    static func compare(_ shared: UnsafeRawPointer, _ own: UnsafeRawPointer, _ count: Int) -> Int {
        Int(heartwood_checked_compare(shared, own, count))
    }
    @inline(__always)
    static func loadOrdered(_ at: UnsafeRawPointer) -> UInt64 { heartwood_checked_load64_ordered(at) }
    @inline(__always)
    static func addOrdered(_ value: UInt64, _ at: UnsafeMutableRawPointer) {
        _ = heartwood_checked_add64_ordered(at, value)
    }
    @inline(__always)
    static func addReleasing(_ value: UInt64, _ at: UnsafeMutableRawPointer) {
        _ = heartwood_checked_add64_release(at, value)
    }
    #else
    @inline(__always)
    static func load16(_ at: UnsafeRawPointer) -> UInt16 { heartwood_load16(at) }
    @inline(__always)
    static func load64(_ at: UnsafeRawPointer) -> UInt64 { heartwood_load64(at) }
    @inline(__always)
    static func store16(_ value: UInt16, _ at: UnsafeMutableRawPointer) { heartwood_store16(at, value) }
    @inline(__always)
    static func store64(_ value: UInt64, _ at: UnsafeMutableRawPointer) { heartwood_store64(at, value) }
    @inline(__always)
    static func loadAcquiring(_ at: UnsafeRawPointer) -> UInt64 { heartwood_load64_acquire(at) }
    @inline(__always)
    static func storeReleasing(_ value: UInt64, _ at: UnsafeMutableRawPointer) { heartwood_store64_release(at, value) }
    @inline(__always)
    static func loadUnaligned(_ at: UnsafeRawPointer) -> UInt64 { heartwood_load64_unaligned(at) }
    @inline(__always)
    static func storeUnaligned(_ value: UInt64, _ at: UnsafeMutableRawPointer) {
        heartwood_store64_unaligned(at, value)
    }
    @inline(__always)
    static func copyOut(_ to: UnsafeMutableRawPointer, from: UnsafeRawPointer, _ count: Int) {
        heartwood_copy_out(to, from, count)
    }
    @inline(__always)
    static func copyIn(_ to: UnsafeMutableRawPointer, from: UnsafeRawPointer, _ count: Int) {
        heartwood_copy_in(to, from, count)
    }
    @inline(__always)
    static func move(_ to: UnsafeMutableRawPointer, from: UnsafeRawPointer, _ count: Int) {
        heartwood_move(to, from, count)
    }
    /// As `memcmp`.
    @inline(__always)
    static func compare(_ shared: UnsafeRawPointer, _ own: UnsafeRawPointer, _ count: Int) -> Int {
        Int(heartwood_compare(shared, own, count))
    }
    @inline(__always)
    static func loadOrdered(_ at: UnsafeRawPointer) -> UInt64 { heartwood_load64_ordered(at) }
    @inline(__always)
    static func addOrdered(_ value: UInt64, _ at: UnsafeMutableRawPointer) { _ = heartwood_add64_ordered(at, value) }
    @inline(__always)
    static func addReleasing(_ value: UInt64, _ at: UnsafeMutableRawPointer) { _ = heartwood_add64_release(at, value) }
    #endif

    /// Acquire fence: earlier loads are not reordered after later loads and stores.
    @inline(__always)
    static func fenceAcquiring() { heartwood_fence_acquire() }
    /// Release fence: earlier loads and stores are not reordered after later stores.
    @inline(__always)
    static func fenceReleasing() { heartwood_fence_release() }
}
