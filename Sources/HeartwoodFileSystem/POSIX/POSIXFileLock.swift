internal import HeartwoodConcurrency

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif
internal import Synchronization

/// A `flock` lock, with the holder's process id in the file.
final class POSIXFileLock: FileLock {
    private static let none: Int32 = -1
    /// The files whose locks this process holds.
    private static let held = Locked<Set<FileID>>([])

    private struct FileID: Hashable {
        let device: dev_t
        let number: ino_t
    }

    private let file: FileID

    /// The descriptor that holds the lock, or `none`. The thread that takes the number out closes it.
    private let descriptor: Atomic<Int32>

    init(_ path: String, in fileSystem: POSIXFileSystem) throws(FileSystemError) {
        // With these flags the call neither waits for the other end of a pipe nor follows a symbolic link.
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
        let descriptor = try fileSystem.open(path, flags, .lock)
        var status = stat()
        var refusal: FileSystemError?
        if fstat(descriptor, &status) != 0 || FileKind(mode: status.st_mode) != .file {
            refusal = FileSystemError(operation: .lock, path: path, code: ENXIO)
        } else if status.st_nlink > 1 {
            refusal = FileSystemError(.lock, path, .severalNames)
        }
        if let refusal {
            close(descriptor)
            throw refusal
        }
        do throws(FileSystemError) {
            // An existing file is given to whom it should belong, too.
            try fileSystem.give(descriptor, path, .lock)
        } catch {
            close(descriptor)
            throw error
        }
        let file = FileID(device: status.st_dev, number: status.st_ino)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            var error = FileSystemError.current(.lock, path)
            if error.isLocked {
                error.lockHolder = Self.holder(in: descriptor)
                if let holder = error.lockHolder, holder > 0, kill(holder, 0) != 0, errno == ESRCH {
                    error.isLockHolderMissing = true
                }
                error.isLockedByThisProcess = Self.held.withLock { $0.contains(file) }
            }
            close(descriptor)
            throw error
        }
        Self.held.withLock { _ = $0.insert(file) }
        Self.writeHolder(to: descriptor)
        self.file = file
        self.descriptor = Atomic(descriptor)
    }

    deinit {
        unlock()
    }

    func unlock() {
        let descriptor = descriptor.exchange(Self.none, ordering: .acquiringAndReleasing)
        guard descriptor != Self.none else { return }
        Self.held.withLock { _ = $0.remove(file) }
        // A child process that was forked without an exec shares the lock, so closing alone might not release it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Errors are ignored, and the lock is still held: on a full disk a store must still open.
    private static func writeHolder(to descriptor: Int32) {
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    private static func holder(in descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 32)
        let count = text.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return LockFileText.holder(in: text.prefix(max(0, count)))
    }
}

/// The content of a lock file: the decimal process id and a newline.
package enum LockFileText {
    /// The text for this process.
    package static var own: [UInt8] { Array("\(getpid())\n".utf8) }

    /// The process id, if the text is complete: a holder may be writing it now.
    package static func holder(in text: some Collection<UInt8>) -> Int32? {
        guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        return Int32(String(decoding: text[..<end], as: UTF8.self))
    }
}
