#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A file that is accessed by system calls only.
final class RawFile: Sendable {
    private let descriptor: Int32

    /// Opens an existing file for reading.
    init(reading path: String) throws { descriptor = try Self.open(path, O_RDONLY) }

    /// Creates a file, writes `count` zeros, and syncs it.
    init(zeros count: Int, at path: String) throws {
        descriptor = try Self.open(path, O_RDWR | O_CREAT | O_TRUNC)
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        var written = 0
        while written < count {
            try zeros.withUnsafeBytes { try write($0[..<min($0.count, count - written)], at: written) }
            written += zeros.count
        }
        guard fsync(descriptor) == 0 else { throw SystemCallFailure("fsync", path) }
    }

    deinit { close(descriptor) }

    private static func open(_ path: String, _ flags: Int32) throws -> Int32 {
        #if canImport(Darwin)
        let descriptor = Darwin.open(path, flags | O_CLOEXEC, 0o600)
        #elseif canImport(Glibc)
        let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o600)
        #else
        let descriptor = Musl.open(path, flags | O_CLOEXEC, 0o600)
        #endif
        guard descriptor >= 0 else { throw SystemCallFailure("open", path) }
        return descriptor
    }

    func write(_ bytes: Slice<UnsafeRawBufferPointer>, at offset: Int) throws {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        guard pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) == bytes.count else {
            throw SystemCallFailure("pwrite", nil)
        }
    }

    /// Fills the buffer.
    @inline(__always)
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        guard pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) == buffer.count else {
            throw SystemCallFailure("pread", nil)
        }
    }

    /// Writes the data to the disk, through the disk's cache.
    func sync() throws {
        #if canImport(Darwin)
        guard fcntl(descriptor, F_FULLFSYNC) == 0 else { throw SystemCallFailure("fcntl(F_FULLFSYNC)", nil) }
        #else
        guard fdatasync(descriptor) == 0 else { throw SystemCallFailure("fdatasync", nil) }
        #endif
    }

    /// Lets the next reads come from the disk, if the system allows it.
    func forgetCache() {
        #if !canImport(Darwin)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        #endif
    }
}

/// A failed system call, with the system's reason.
struct SystemCallFailure: Error, CustomStringConvertible {
    let description: String

    init(_ call: String, _ path: String?) {
        let reason = String(cString: strerror(errno))
        description = path.map { "\(call) failed on \($0): \(reason)" } ?? "\(call) failed: \(reason)"
    }
}
