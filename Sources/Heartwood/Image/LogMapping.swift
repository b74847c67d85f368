internal import CHeartwood
internal import HeartwoodFileSystem

/// A log segment mapped into memory. What is stored to it is in the kernel, and survives the death of the process.
///
/// The invariant that makes `@unchecked Sendable` sound: the object doesn't change. The mapped memory is stored to only
/// under the log's lock, and only where it is populated.
final class LogMapping: @unchecked Sendable {
    private let mapping: any WritableMapping
    private let memory: UnsafeMutableRawPointer
    private let isWatched: Bool
    /// Bytes of the file that the mapping covers.
    let count: UInt64

    init(_ mapping: any WritableMapping) {
        self.mapping = mapping
        memory = mapping.memory.baseAddress!
        count = UInt64(mapping.memory.count)
        isWatched = mapping.isWatched
    }

    /// Copies bytes to an offset of the file, after all earlier stores.
    @inline(__always)
    func store(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
        assert(offset + UInt64(bytes.count) <= count)
        // A fence for the compiler only: besides this thread, only the kernel reads the bytes, and it sees the stores
        // in order.
        heartwood_fence_release()
        (memory + Int(offset)).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
        if isWatched { mapping.stored(offset..<(offset + UInt64(bytes.count))) }
    }

    func populate(_ range: Range<UInt64>) throws(FileSystemError) { try mapping.populate(range) }

    func release(before end: UInt64) { mapping.release(before: end) }
}
