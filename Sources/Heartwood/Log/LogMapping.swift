internal import CHeartwood
internal import HeartwoodFileSystem

/// A log segment as memory: what is stored to it is in the kernel, whatever becomes of the process.
///
/// The invariant under `@unchecked Sendable`: nothing of it changes. What it leads to is stored to under the log's lock, and
/// only what was populated is.
final class LogMapping: @unchecked Sendable {
    private let mapping: any WritableMapping
    private let memory: UnsafeMutableRawPointer
    private let isWatched: Bool
    /// Bytes of the file that it covers.
    let count: UInt64

    init(_ mapping: any WritableMapping) {
        self.mapping = mapping
        memory = mapping.memory.baseAddress!
        count = UInt64(mapping.memory.count)
        isWatched = mapping.isWatched
    }

    /// Copies bytes to an offset of the file, after all that was stored before.
    @inline(__always)
    func store(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
        assert(offset + UInt64(bytes.count) <= count)
        // For the compiler. Nobody else looks at the bytes but the kernel, and that sees what a thread has done in its order.
        heartwood_fence_release()
        (memory + Int(offset)).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
        if isWatched { mapping.stored(offset..<(offset + UInt64(bytes.count))) }
    }

    func populate(_ range: Range<UInt64>) throws(FileSystemError) { try mapping.populate(range) }

    func release(before end: UInt64) { mapping.release(before: end) }
}
