#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif
internal import CHeartwood

/// The operating system's files.
///
/// Files are created with mode 0600 and directories with 0700 (the process's umask can only remove permissions).
/// Descriptors are closed by an `exec`.
///
/// On Darwin, `fsync` leaves bytes in the drive's cache, so every sync is an `F_FULLFSYNC`. Only if the file system
/// does not support that is it an `fsync`.
public struct POSIXFileSystem: FileSystem {
    /// The file system of this process.
    public init() {}

    /// Opens a file. See ``FileSystem/openFile(_:for:)``.
    public func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        let flags: Int32 =
            switch access {
            case .read: O_RDONLY
            case .readWrite: O_RDWR
            case .create: O_RDWR | O_CREAT | O_EXCL
            }
        // Without O_NONBLOCK, opening a pipe waits for its other end. It changes nothing for regular files.
        let descriptor = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .current(.open, path) }
        let file = POSIXFile(descriptor: descriptor, path: path)
        switch try file.kind() {
        case .file: return file
        // The system allows opening a directory for reading and refuses only to read it.
        case .directory: throw FileSystemError(operation: .open, path: path, code: EISDIR)
        case .other: throw FileSystemError(operation: .open, path: path, code: ENXIO)
        }
    }

    /// Renames a file or directory. See ``FileSystem/rename(_:to:)``.
    public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        #if canImport(Darwin)
        let result = Darwin.rename(path, newPath)
        #elseif canImport(Musl)
        let result = Musl.rename(path, newPath)
        #else
        let result = Glibc.rename(path, newPath)
        #endif
        guard result == 0 else { throw .current(.rename, path) }
    }

    /// Removes a file or an empty directory. See ``FileSystem/remove(_:)``.
    public func remove(_ path: String) throws(FileSystemError) {
        guard unlink(path) != 0 else { return }
        // For a directory, Linux reports EISDIR; POSIX and Darwin report EPERM, which may have other reasons too.
        let error = FileSystemError.current(.remove, path)
        guard error.code == EISDIR || error.code == EPERM, (try? kind(of: path)) == .directory else { throw error }
        guard rmdir(path) == 0 else { throw .current(.remove, path) }
    }

    /// Lists the names in a directory. See ``FileSystem/contents(ofDirectory:)``.
    public func contents(ofDirectory path: String) throws(FileSystemError) -> [String] {
        guard let directory = opendir(path) else { throw .current(.list, path) }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            // The end and an error both return nil; only an error sets errno.
            errno = 0
            guard let entry = readdir(directory) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                String(cString: UnsafeRawPointer(tuple).assumingMemoryBound(to: CChar.self))
            }
            if name != "." && name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw .current(.list, path) }
        names.sort()
        return names
    }

    /// Creates a directory. See ``FileSystem/createDirectory(_:)``.
    public func createDirectory(_ path: String) throws(FileSystemError) {
        guard mkdir(path, 0o700) == 0 else { throw .current(.createDirectory, path) }
    }

    /// Makes the entries of a directory durable. See ``FileSystem/syncDirectory(_:)``.
    public func syncDirectory(_ path: String) throws(FileSystemError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .current(.syncDirectory, path) }
        defer { close(descriptor) }
        let error = heartwood_sync(descriptor, false)
        guard error == 0 else { throw FileSystemError(operation: .syncDirectory, path: path, code: error) }
    }

    /// Returns what is at the path. See ``FileSystem/kind(of:)``.
    public func kind(of path: String) throws(FileSystemError) -> FileKind? {
        var status = stat()
        guard stat(path, &status) != 0 else { return FileKind(mode: status.st_mode) }
        guard errno != ENOENT else { return nil }
        throw .current(.status, path)
    }

    /// The space that `statvfs` reports for ordinary users. See ``FileSystem/availableBytes(at:)``.
    public func availableBytes(at path: String) -> UInt64? { UInt64(exactly: heartwood_available_bytes(path)) }

    /// Takes the lock of a file. See ``FileSystem/lock(_:)``.
    ///
    /// The lock is a `flock` lock: the system releases it when the process ends for any reason.
    public func lock(_ path: String) throws(FileSystemError) -> any FileLock {
        try POSIXFileLock(path)
    }
}

extension FileSystemError {
    /// The error of this thread's last system call.
    static func current(_ operation: Operation, _ path: String) -> FileSystemError {
        FileSystemError(operation: operation, path: path, code: errno)
    }
}

extension FileKind {
    /// The kind from the mode of a `stat`.
    init(mode: mode_t) {
        self =
            switch mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            default: .other
            }
    }
}
