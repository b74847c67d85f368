#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// What the operating system said: which call failed, on which file, and why.
public struct FileSystemError: Error, Sendable, Hashable {
    /// What was attempted.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        /// Opening or creating a file.
        case open
        /// Reading from a file.
        case read
        /// Writing to a file.
        case write
        /// Reserving room for a file.
        case allocate
        /// Making a file's bytes writable as memory.
        case map
        /// Storing to such memory, which never fails.
        case store
        /// Changing the size of a file.
        case truncate
        /// Making a file's bytes durable.
        case sync
        /// Making a directory's entries durable.
        case syncDirectory
        /// Renaming a file or directory.
        case rename
        /// Removing a file or directory.
        case remove
        /// Listing a directory.
        case list
        /// Making a directory.
        case createDirectory
        /// Asking for size or kind.
        case status
        /// Taking a lock.
        case lock
        /// Closing a file.
        case close
    }

    /// What was attempted.
    public var operation: Operation
    /// The file or directory it was attempted on, as the caller named it.
    public var path: String
    /// The error number of the system (`errno`).
    public var code: Int32
    /// The process that holds the lock, if the lock is taken and its file says by whom.
    public var lockHolder: Int32?
    /// Whether this process itself holds the lock. Equal numbers don't say so: processes of two containers may have the
    /// same.
    public var isLockedByThisProcess = false

    /// An error of the operating system, or of something that plays its part.
    ///
    /// - Parameters:
    ///   - operation: What was attempted.
    ///   - path: The file or directory it was attempted on.
    ///   - code: The error number of the system (`errno`).
    ///   - lockHolder: The process that holds the lock, if that is what stood in the way.
    public init(operation: Operation, path: String, code: Int32, lockHolder: Int32? = nil) {
        self.operation = operation
        self.path = path
        self.code = code
        self.lockHolder = lockHolder
    }
}

extension FileSystemError {
    /// No room: the disk is full (`ENOSPC`), the quota is used up (`EDQUOT`), or the file may not grow (`EFBIG`).
    public var isOutOfSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    /// Not allowed: by permissions (`EACCES`, `EPERM`) or because the disk is mounted read-only (`EROFS`).
    public var isPermission: Bool { code == EACCES || code == EPERM || code == EROFS }

    /// There is no such file or directory (`ENOENT`).
    public var isNotFound: Bool { code == ENOENT }

    /// There is such a file or directory already (`EEXIST`).
    public var isAlreadyExists: Bool { code == EEXIST }

    /// The disk is mounted read-only (`EROFS`).
    public var isReadOnly: Bool { code == EROFS }

    /// No file can have such a path: a name is too long (`ENAMETOOLONG`), a part of it is no directory (`ENOTDIR`), or
    /// symbolic links lead in a circle (`ELOOP`).
    public var isBadPath: Bool { (code == ENAMETOOLONG || code == ENOTDIR || code == ELOOP) && !isNoRegularFile }

    /// What was opened or locked is no regular file: a directory (`EISDIR`), a pipe, a socket or a device (`ENXIO`), or,
    /// of a lock, a symbolic link (`ELOOP`).
    public var isNoRegularFile: Bool {
        switch operation {
        case .open: code == EISDIR || code == ENXIO
        case .lock: code == EISDIR || code == ENXIO || code == ELOOP
        default: false
        }
    }

    /// The system has too little memory (`ENOMEM`).
    public var isOutOfMemory: Bool { code == ENOMEM }

    /// The process (`EMFILE`) or the system (`ENFILE`) has too many files open.
    public var isTooManyFiles: Bool { code == EMFILE || code == ENFILE }

    /// Somebody else holds the lock.
    public var isLocked: Bool { operation == .lock && code == EWOULDBLOCK }

    /// A signal came before anything was done (`EINTR`): to be tried again, unless it was a sync.
    public var isInterrupted: Bool { code == EINTR }

    /// The file system has no such operation (`EOPNOTSUPP`, `ENOTSUP`, `ENOSYS`).
    public var isUnsupported: Bool { code == EOPNOTSUPP || code == ENOTSUP || code == ENOSYS }

    /// The name of the code, such as `ENOSPC`, or `errno` and the number where it is not a common one.
    public var symbol: String { Self.symbols[code] ?? "errno \(code)" }

    /// The system's own words for the code, such as "No space left on device".
    public var systemText: String {
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
    public var description: String {
        let text = "\(operation.phrase) \(path) failed: \(systemText) (\(symbol))"
        guard lockHolder != nil || isLockedByThisProcess else { return text }
        return text + ", held by \(lockHolderText)"
    }

    /// Who holds the lock, for a message.
    package var lockHolderText: String {
        if isLockedByThisProcess { return "this process" }
        return lockHolder.map { "process \($0)" } ?? "another process"
    }
}

extension FileSystemError.Operation {
    /// The words before the path.
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
