#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif
internal import HeartwoodFormat

/// Memory that all executions on one thread share, because making it for each would cost more than the execution.
package final class Workspace {
    /// Ends at a protected page: reading one byte too many ends the process.
    private let memory: UnsafeMutableRawBufferPointer
    private let mappedBytes: Int
    let deflater = Deflater(level: 6)!

    package init() {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let size = 1 << 20
        mappedBytes = size + page
        let base = mmap(nil, mappedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let base, base != MAP_FAILED, mprotect(base + size, page, PROT_NONE) == 0 else {
            fatalError("no memory for a guarded buffer")
        }
        memory = UnsafeMutableRawBufferPointer(start: base, count: size)
    }

    deinit { munmap(memory.baseAddress!, mappedBytes) }

    /// Calls `body` with a copy of the bytes, after which nothing can be read.
    ///
    /// - Precondition: There are at most 1 MiB of them, and `body` does not use this workspace.
    func guarded<R>(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        let copy = UnsafeMutableRawBufferPointer(rebasing: memory[(memory.count - bytes.count)...])
        copy.copyMemory(from: bytes)
        return body(UnsafeRawBufferPointer(copy))
    }

    /// The same for a body that decodes.
    func decoding<R>(
        _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(FormatError) -> R
    ) -> Result<R, FormatError> {
        bytes.withUnsafeBytes { bytes in
            guarded(bytes) { copy in Result { () throws(FormatError) in try body(copy) } }
        }
    }
}
