/// The seam for all I/O: what Heartwood asks of an operating system, and nothing else.
///
/// Every method is one system call that is not repeated, divided or retried here, so that something that stands in for
/// the operating system can make each of them fail, fall short or be interrupted. The loops that cope with that are
/// extensions of ``File``.
///
/// Errors carry the system's error number. All methods may block, and all may be called from any thread.
public protocol FileSystem: Sendable {
    /// Opens a file. Descriptors don't outlive an `exec`.
    ///
    /// Only regular files are opened. A pipe is refused without waiting for its other end. The opening of a device may
    /// have effects of its own: ask for the ``kind(of:)`` of what comes from elsewhere.
    ///
    /// - Throws: ``FileSystemError``: `EISDIR` for a directory, `ENXIO` for a pipe, a socket or a device (see
    ///   ``FileSystemError/isNoRegularFile``), `EEXIST` where `.create` finds something there.
    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File

    /// Gives a file or directory another name, atomically; what had that name before is gone. Not durable before
    /// ``syncDirectory(_:)``.
    func rename(_ path: String, to newPath: String) throws(FileSystemError)

    /// Removes a file, or a directory that is empty. A file that is open stays readable until it is closed.
    func remove(_ path: String) throws(FileSystemError)

    /// The names in a directory, sorted, without "." and "..". O(n log n).
    func contents(ofDirectory path: String) throws(FileSystemError) -> [String]

    /// Makes one directory that only its owner may enter (mode 0700).
    ///
    /// - Throws: ``FileSystemError``: `EEXIST` where there is something already, `ENOENT` where the parent is missing.
    func createDirectory(_ path: String) throws(FileSystemError)

    /// Makes the entries of a directory durable: what was created, renamed and removed in it.
    func syncDirectory(_ path: String) throws(FileSystemError)

    /// What is there; nil if nothing is. Follows symbolic links.
    func kind(of path: String) throws(FileSystemError) -> FileKind?

    /// Takes the exclusive lock of a file, without waiting, and writes the process id into it.
    ///
    /// The file is made if need be, and never removed: a file that comes and goes can be locked by two at a time.
    ///
    /// Symbolic links are not followed.
    ///
    /// - Throws: ``FileSystemError``; with ``FileSystemError/isLocked`` where somebody holds it, in this process or
    ///   another, and then with ``FileSystemError/lockHolder`` as far as the file names it; with
    ///   ``FileSystemError/isNoRegularFile`` where the path leads to something else.
    func lock(_ path: String) throws(FileSystemError) -> any FileLock

    /// A random number, fit for identities and salts.
    func randomUInt64() -> UInt64

    /// How many bytes can still be written where the path is; nil where that isn't known.
    func availableBytes(at path: String) -> UInt64?
}

extension FileSystem {
    /// It isn't known, unless the file system says otherwise.
    public func availableBytes(at path: String) -> UInt64? { nil }

    /// A number of the system's random generator.
    public func randomUInt64() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

/// What a file is opened for.
public enum FileAccess: Sendable, Hashable {
    /// Reading a file that exists.
    case read
    /// Reading and writing a file that exists.
    case readWrite
    /// Reading and writing a file that must not exist yet, and that only its owner may access (mode 0600).
    case create
}

/// What a path leads to.
public enum FileKind: Sendable, Hashable {
    /// A regular file.
    case file
    /// A directory.
    case directory
    /// Something else: a pipe, a socket, a device.
    case other
}

/// How much of a file is made durable.
public enum SyncKind: Sendable, Hashable {
    /// The bytes and what is needed to read them back, the size included (`fdatasync`).
    case data
    /// The bytes and all of the metadata (`fsync`).
    case full
}

/// A lock that is held until it is given back or the last reference to it is gone.
public protocol FileLock: AnyObject, Sendable {
    /// Gives the lock back. The file stays. Does nothing the second time.
    func unlock()
}
