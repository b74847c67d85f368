#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// An error of the operating system: the call that failed, the file, and the reason.
package struct FileSystemError: Error, Sendable, Hashable {
    package typealias Operation = FileOperation

    /// The operation that failed.
    package var operation: Operation
    /// The file or directory, as the caller named it.
    package var path: String
    /// The error number of the system (`errno`).
    package var code: Int32
    /// The process that holds the lock, if the lock is held and its file names the holder.
    package var lockHolder: Int32?
    /// Whether this process itself holds the lock. Equal process ids do not prove that: two containers may use the same
    /// id.
    package var isLockedByThisProcess = false
    /// Whether no process with the number ``lockHolder`` is visible here: it has ended, and a child that it forked
    /// keeps the lock; or the holder is in another container.
    package var isLockHolderMissing = false
    /// Why another user could choose or change what would be read or written; nil if that isn't the reason.
    package var distrust: Distrust?

    /// An error of the operating system, or of a simulated one.
    ///
    /// - Parameters:
    ///   - operation: The operation that failed.
    ///   - path: The file or directory.
    ///   - code: The error number of the system (`errno`).
    ///   - lockHolder: The process that holds the lock, if the operation failed because of the lock.
    package init(operation: Operation, path: String, code: Int32, lockHolder: Int32? = nil) {
        self.operation = operation
        self.path = path
        self.code = code
        self.lockHolder = lockHolder
    }

    init(_ operation: Operation, _ path: String, _ distrust: Distrust) {
        self.init(operation: operation, path: path, code: distrust.code)
        self.distrust = distrust
    }
}

extension FileSystemError {
    /// No space: the disk is full (`ENOSPC`), the quota is used up (`EDQUOT`), or the file may not grow (`EFBIG`).
    package var isOutOfSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    /// What makes the operation possible again, if ``isOutOfSpace``; a clause.
    package var spaceRemedy: String {
        switch code {
        case EFBIG:
            "raise the largest size of files that this process may have ('ulimit -f', RLIMIT_FSIZE), or use a file "
                + "system that allows larger ones"
        case EDQUOT: "free some space of this user's quota, or raise it"
        default: "free some space"
        }
    }

    /// Not permitted: by permissions (`EACCES`, `EPERM`), because the disk is mounted read-only (`EROFS`), or because
    /// another user may interfere (``distrust``).
    package var isPermission: Bool { code == EACCES || code == EPERM || code == EROFS || distrust != nil }

    /// The file or directory does not exist (`ENOENT`).
    package var isNotFound: Bool { code == ENOENT }

    /// The file or directory exists already (`EEXIST`).
    package var isAlreadyExists: Bool { code == EEXIST }

    /// A directory that isn't empty was to be removed (`ENOTEMPTY`).
    package var isNotEmpty: Bool { code == ENOTEMPTY }

    /// The disk is mounted read-only (`EROFS`).
    package var isReadOnly: Bool { code == EROFS }

    /// The path can't be a file's path: a name is too long (`ENAMETOOLONG`), a part of it is not a directory
    /// (`ENOTDIR`), or symbolic links form a loop (`ELOOP`).
    package var isBadPath: Bool { (code == ENAMETOOLONG || code == ENOTDIR || code == ELOOP) && !isNoRegularFile }

    /// The path is not a regular file: it is a directory (`EISDIR`), a pipe, a socket or a device (`ENXIO`), or, when
    /// locking, a symbolic link (`ELOOP`).
    package var isNoRegularFile: Bool {
        switch operation {
        case .open: code == EISDIR || code == ENXIO
        case .lock: code == EISDIR || code == ENXIO || code == ELOOP
        default: false
        }
    }

    /// The system has not enough memory (`ENOMEM`).
    package var isOutOfMemory: Bool { code == ENOMEM }

    /// The process (`EMFILE`) or the system (`ENFILE`) has too many files open.
    package var isTooManyFiles: Bool { code == EMFILE || code == ENFILE }

    /// The lock is held elsewhere, in this process or another.
    package var isLocked: Bool { operation == .lock && code == EWOULDBLOCK }

    /// A signal interrupted the call before it did anything (`EINTR`). Try again, unless the call was a sync.
    package var isInterrupted: Bool { code == EINTR }

    /// The file system does not support the operation (`EOPNOTSUPP`, `ENOTSUP`, `ENOSYS`).
    package var isUnsupported: Bool { code == EOPNOTSUPP || code == ENOTSUP || code == ENOSYS }

    /// The name of the code, such as `ENOSPC`; `errno` and the number if the code is not a common one.
    package var symbol: String { Self.symbols[code] ?? "errno \(code)" }

    /// The system's text for the code, such as "No space left on device".
    package var systemText: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            buffer.initialize(repeating: 0)
            _ = strerror_r(code, buffer.baseAddress!, buffer.count - 1)
            return String(cString: buffer.baseAddress!)
        }
    }

    private static let symbols: [Int32: String] = [
        EACCES: "EACCES", EAGAIN: "EAGAIN", EBADF: "EBADF", EBUSY: "EBUSY", EDQUOT: "EDQUOT", EEXIST: "EEXIST",
        EFBIG: "EFBIG", EINTR: "EINTR", EINVAL: "EINVAL", EIO: "EIO", EISDIR: "EISDIR", ELOOP: "ELOOP",
        EMFILE: "EMFILE", EMLINK: "EMLINK", ENAMETOOLONG: "ENAMETOOLONG", ENFILE: "ENFILE", ENODEV: "ENODEV",
        ENOENT: "ENOENT", ENOLCK: "ENOLCK", ENOMEM: "ENOMEM", ENOSPC: "ENOSPC", ENOSYS: "ENOSYS",
        ENOTDIR: "ENOTDIR", ENOTEMPTY: "ENOTEMPTY", ENXIO: "ENXIO", EOPNOTSUPP: "EOPNOTSUPP", EOVERFLOW: "EOVERFLOW",
        EPERM: "EPERM", EROFS: "EROFS", ESPIPE: "ESPIPE", ESTALE: "ESTALE", ETIMEDOUT: "ETIMEDOUT",
        ETXTBSY: "ETXTBSY", EXDEV: "EXDEV",
    ]
}

extension FileSystemError: CustomStringConvertible {
    /// One line, such as "write of /data/store/0000000000000001.log failed: No space left on device (ENOSPC)".
    package var description: String {
        let text = "\(operation.phrase) \(path) failed: \(systemText) (\(symbol))"
        guard lockHolder != nil || isLockedByThisProcess else { return text }
        return text + ", held by \(lockHolderText)"
    }

    /// The holder of the lock, for a message.
    package var lockHolderText: String {
        if isLockedByThisProcess { return "this process" }
        if isLockHolderMissing, let lockHolder {
            return "a child that process \(lockHolder) has forked, which has ended itself, or a process in another "
                + "container"
        }
        return lockHolder.map { "process \($0)" } ?? "another process"
    }
}

extension FileOperation {
    fileprivate var phrase: String {
        switch self {
        case .open: "open of"
        case .read: "read of"
        case .write: "write of"
        case .allocate: "allocation for"
        case .truncate: "truncation of"
        case .sync: "sync of"
        case .syncDirectory: "sync of directory"
        case .rename: "rename of"
        case .remove: "removal of"
        case .list: "listing of"
        case .createDirectory: "creation of directory"
        case .map: "mapping"
        case .store: "storing to"
        case .status: "status of"
        case .lock: "lock of"
        case .close: "close of"
        }
    }
}
