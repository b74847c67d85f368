/// The interface for all I/O: everything that Heartwood asks of an operating system.
///
/// Every method is one system call that is not repeated, divided or retried here. So a simulated file system can make
/// each of them fail, transfer less, or be interrupted. The loops that handle this are extensions of ``File``.
///
/// Errors have the system's error number. All methods may block, and all may be called from any thread.
package protocol FileSystem: Sendable {
    /// Opens a file. Its descriptor is closed by an `exec`.
    ///
    /// Only regular files are opened. A pipe is refused without waiting for its other end. Opening a device may have
    /// side effects: check the ``kind(of:)`` of a path from an untrusted source first.
    ///
    /// - Throws: ``FileSystemError``: `EISDIR` for a directory; `ENXIO` for a pipe, a socket or a device (see
    ///   ``FileSystemError/isNoRegularFile``); `EEXIST` if the path exists already and the access is `.create`.
    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File

    /// Renames a file or directory, atomically. A file that had the new name is replaced. Not durable until
    /// ``syncDirectory(_:)``.
    ///
    /// - Throws: ``FileSystemError``.
    func rename(_ path: String, to newPath: String) throws(FileSystemError)

    /// Removes a file or an empty directory. An open file stays readable until it is closed.
    ///
    /// - Throws: ``FileSystemError``.
    func remove(_ path: String) throws(FileSystemError)

    /// Lists the names in a directory, sorted, without "." and "..". O(n log n).
    ///
    /// - Throws: ``FileSystemError``.
    func contents(ofDirectory path: String) throws(FileSystemError) -> [String]

    /// Creates one directory that only its owner may enter (mode 0700).
    ///
    /// - Throws: ``FileSystemError``: `EEXIST` if the path exists already, `ENOENT` if the parent is missing.
    func createDirectory(_ path: String) throws(FileSystemError)

    /// Makes the entries of a directory durable: the files created, renamed and removed in it.
    ///
    /// - Throws: ``FileSystemError``.
    func syncDirectory(_ path: String) throws(FileSystemError)

    /// Returns what is at the path; nil if nothing is there. Follows symbolic links, except in a bound directory.
    ///
    /// - Throws: ``FileSystemError``.
    func kind(of path: String) throws(FileSystemError) -> FileKind?

    /// Checks that only the owner of a directory can change it, or a file in it. A store checks so before it writes to
    /// a directory or to a file that it finds there.
    ///
    /// - Throws: ``FileSystemError``, with ``FileSystemError/distrust`` if another user owns it or may write to it, or
    ///   if it is a symbolic link in a bound directory.
    func checkTrust(in path: String) throws(FileSystemError)

    /// Takes the exclusive lock of a file, without waiting, and writes the process id into the file.
    ///
    /// The file is created if it is missing, and never removed: if a lock file is removed and created again, two
    /// processes can hold a lock at the same time.
    ///
    /// Symbolic links are not followed, and nothing is written to a file that has a second name.
    ///
    /// - Throws: ``FileSystemError``. With ``FileSystemError/isLocked`` if the lock is held, in this process or
    ///   another; then ``FileSystemError/lockHolder`` names the holder, if the file does. With
    ///   ``FileSystemError/isNoRegularFile`` if the path leads to something other than a regular file.
    func lock(_ path: String) throws(FileSystemError) -> any FileLock

    /// A random number, suitable for identifiers and salts.
    func randomUInt64() -> UInt64

    /// How many bytes can still be written to the file system of the path; nil if unknown.
    func availableBytes(at path: String) -> UInt64?

    /// Binds a directory: in the file system that is returned, the path `directory`, and each path that begins with it
    /// and a slash, leads into the directory that is there now. It stays the same directory if the process changes its
    /// working directory, if the directory is renamed, or if a symbolic link on the way is changed. Other paths mean
    /// what they mean in this file system.
    ///
    /// In the directory, symbolic links are not followed. What a process of root's makes there belongs to the
    /// directory's owner.
    ///
    /// The directory is held open until ``unbind()`` is called, or the last reference to the result, and to the files
    /// that were opened with it, is released.
    ///
    /// - Throws: ``FileSystemError``: `ENOENT` or `ENOTDIR` if there is no directory.
    func bound(to directory: String) throws(FileSystemError) -> any FileSystem

    /// Releases the directory that ``bound(to:)`` holds. Later calls with a path in it throw `EBADF`. Open files and
    /// locks stay open. Does nothing the second time, or if no directory is bound.
    func unbind()
}

extension FileSystem {
    /// The default: a file system that has no owners, or only one user.
    package func checkTrust(in path: String) throws(FileSystemError) {}

    /// The default: unknown.
    package func availableBytes(at path: String) -> UInt64? { nil }

    /// The default: this file system, in which each call resolves its path again. A store then fails when its directory
    /// is moved.
    package func bound(to directory: String) throws(FileSystemError) -> any FileSystem { self }

    /// The default: does nothing.
    package func unbind() {}

    /// Bound to a path if it is a directory; otherwise as it is.
    package func boundIfDirectory(_ path: String) throws(FileSystemError) -> any FileSystem {
        try kind(of: path) == .directory ? bound(to: path) : self
    }

    /// The default: a number from the system's random generator.
    package func randomUInt64() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

/// How a file is opened.
package enum FileAccess: Sendable, Hashable {
    /// Read a file that exists.
    case read
    /// Read and write a file that exists, and has no second name (hard link).
    case readWrite
    /// Read and write a file that must not exist yet, and that only its owner may access (mode 0600).
    case create
}

/// What a path leads to.
package enum FileKind: Sendable, Hashable {
    /// A regular file.
    case file
    /// A directory.
    case directory
    /// A symbolic link, where none is followed.
    case symbolicLink
    /// Something else: a pipe, a socket, a device.
    case other
}

/// What a sync makes durable.
package enum SyncKind: Sendable, Hashable {
    /// The bytes and the metadata needed to read them back, including the size (`fdatasync`).
    case data
    /// The bytes and all metadata (`fsync`).
    case full
}

/// A lock that is held until `unlock()`, or until its last reference is released.
package protocol FileLock: AnyObject, Sendable {
    /// Releases the lock. The file stays. Does nothing the second time.
    func unlock()
}

extension FileSystem {
    /// A random number other than 0.
    package func randomSalt() -> UInt32 {
        while true {
            let salt = UInt32(truncatingIfNeeded: randomUInt64())
            if salt != 0 { return salt }
        }
    }
}
