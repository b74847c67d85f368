internal import Foundation

/// A file that is accessed by system calls only.
final class RawFile {
    private let descriptor: Int32

    /// Creates a file, writes `count` zeros, and syncs it.
    init(zeros count: Int, at path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemCallFailure("open", path) }
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        var written = 0
        while written < count {
            try zeros.withUnsafeBytes { try write($0[..<min($0.count, count - written)], at: written) }
            written += zeros.count
        }
        guard fsync(descriptor) == 0 else { throw SystemCallFailure("fsync", path) }
    }

    deinit { close(descriptor) }

    func write(_ bytes: Slice<UnsafeRawBufferPointer>, at offset: Int) throws {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        guard pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) == bytes.count else {
            throw SystemCallFailure("pwrite", nil)
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
}

/// A failed system call, with the system's reason.
struct SystemCallFailure: Error, CustomStringConvertible {
    let description: String

    init(_ call: String, _ path: String?) {
        let reason = String(cString: strerror(errno))
        description = path.map { "\(call) failed on \($0): \(reason)" } ?? "\(call) failed: \(reason)"
    }
}
