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
package struct POSIXFileSystem: FileSystem {
    /// Nil if the system resolves every path.
    private let directory: BoundDirectory?

    /// The file system of this process.
    package init() { self.init(nil) }

    private init(_ directory: BoundDirectory?) { self.directory = directory }

    package func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        let flags: Int32 =
            switch access {
            case .read: O_RDONLY
            case .readWrite: O_RDWR
            case .create: O_RDWR | O_CREAT | O_EXCL
            }
        // Without O_NONBLOCK, opening a pipe waits for its other end. It changes nothing for regular files.
        let descriptor = try open(path, flags | O_NONBLOCK, .open)
        let file = POSIXFile(descriptor: descriptor, path: path, in: self)
        if access == .create { try give(descriptor, path, .open) }
        let (kind, names) = try file.kindAndNames()
        switch kind {
        case .file:
            guard access == .readWrite, names > 1 else { return file }
            throw FileSystemError(.open, path, .severalNames)
        // The system allows opening a directory for reading and refuses only to read it.
        case .directory: throw FileSystemError(operation: .open, path: path, code: EISDIR)
        case .symbolicLink, .other: throw FileSystemError(operation: .open, path: path, code: ENXIO)
        }
    }

    package func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        try resolving(newPath, .rename) { (newDirectory, newRelative) throws(FileSystemError) in
            _ = try calling(path, .rename) { renameat($0, $1, newDirectory, newRelative) }
        }
    }

    package func remove(_ path: String) throws(FileSystemError) {
        do throws(FileSystemError) {
            try calling(path, .remove) { unlinkat($0, $1, 0) }
        } catch {
            // For a directory, Linux reports EISDIR; POSIX and Darwin report EPERM, which may have other reasons too.
            guard error.code == EISDIR || error.code == EPERM, (try? kind(of: path)) == .directory else { throw error }
            try calling(path, .remove) { unlinkat($0, $1, AT_REMOVEDIR) }
        }
    }

    package func contents(ofDirectory path: String) throws(FileSystemError) -> [String] {
        let descriptor = try open(path, O_RDONLY | O_DIRECTORY, .list)
        guard let directory = fdopendir(descriptor) else {
            defer { close(descriptor) }
            throw .current(.list, path)
        }
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

    package func createDirectory(_ path: String) throws(FileSystemError) {
        try calling(path, .createDirectory) { mkdirat($0, $1, 0o700) }
        guard directory?.heir(of: path) != nil else { return }
        let descriptor = try open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, .createDirectory)
        defer { close(descriptor) }
        try give(descriptor, path, .createDirectory)
    }

    /// Gives what a process of root's has made to the owner of the bound directory, who couldn't read it otherwise.
    func give(
        _ descriptor: Int32, _ path: String, _ operation: FileSystemError.Operation
    ) throws(FileSystemError) {
        guard let heir = directory?.heir(of: path) else { return }
        guard fchown(descriptor, heir.user, heir.group) == 0 else { throw .current(operation, path) }
    }

    package func checkTrust(in path: String) throws(FileSystemError) {
        guard let status = try status(path) else { return }
        var distrust = Distrust(
            owner: status.st_uid, group: status.st_gid, mode: UInt32(status.st_mode),
            directory: directory?.owner.user ?? status.st_uid, user: geteuid())
        if FileKind(mode: status.st_mode) == .symbolicLink { distrust = .symbolicLink }
        if let distrust { throw FileSystemError(.status, path, distrust) }
    }

    package func syncDirectory(_ path: String) throws(FileSystemError) {
        let descriptor = try open(path, O_RDONLY | O_DIRECTORY, .syncDirectory)
        defer { close(descriptor) }
        let error = heartwood_sync(descriptor, false)
        guard error == 0 else { throw FileSystemError(operation: .syncDirectory, path: path, code: error) }
    }

    package func kind(of path: String) throws(FileSystemError) -> FileKind? {
        try status(path).map { FileKind(mode: $0.st_mode) }
    }

    /// What `stat` says of a path; nil if nothing is there.
    func status(_ path: String) throws(FileSystemError) -> stat? {
        var status = stat()
        do throws(FileSystemError) {
            try calling(path, .status) { fstatat($0, $1, &status, $0 == AT_FDCWD ? 0 : AT_SYMLINK_NOFOLLOW) }
        } catch {
            guard error.isNotFound else { throw error }
            return nil
        }
        return status
    }

    package func availableBytes(at path: String) -> UInt64? {
        (try? resolving(path, .status) { heartwood_available_bytes($0, $1) }).flatMap { UInt64(exactly: $0) }
    }

    /// Takes the lock of a file. See ``FileSystem/lock(_:)``.
    ///
    /// The lock is a `flock` lock: the system releases it when the process ends for any reason.
    package func lock(_ path: String) throws(FileSystemError) -> any FileLock {
        try POSIXFileLock(path, in: self)
    }

    package func bound(to directory: String) throws(FileSystemError) -> any FileSystem {
        let descriptor = try open(directory, O_RDONLY | O_DIRECTORY, .list)
        let shared = SharedDescriptor(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .current(.status, directory) }
        return POSIXFileSystem(
            BoundDirectory(shared, path: directory, owner: .init(user: status.st_uid, group: status.st_gid)))
    }

    package func unbind() { _ = directory?.descriptor.close() }

    /// Opens a path, and returns the descriptor. A new file may be accessed only by its owner.
    func open(
        _ path: String, _ flags: Int32, _ operation: FileSystemError.Operation
    ) throws(FileSystemError) -> Int32 {
        let isBound = directory?.rest(of: path) != nil
        let all = flags | O_NOCTTY | O_CLOEXEC | (isBound ? O_NOFOLLOW : 0)
        do throws(FileSystemError) {
            return try calling(path, operation) { openat($0, $1, all, 0o600) }
        } catch {
            throw isBound && error.code == ELOOP ? FileSystemError(operation, path, .symbolicLink) : error
        }
    }

    /// Makes a system call with a path.
    ///
    /// - Returns: What the call returns.
    /// - Throws: ``FileSystemError`` if that is negative.
    @discardableResult
    private func calling(
        _ path: String, _ operation: FileSystemError.Operation, _ call: (Int32, String) -> Int32
    ) throws(FileSystemError) -> Int32 {
        try resolving(path, operation) { (directory, relative) throws(FileSystemError) in
            let result = call(directory, relative)
            guard result >= 0 else { throw .current(operation, path) }
            return result
        }
    }

    /// Calls `body` with what a system call whose name ends in `at` takes: an open directory, and a path that is
    /// relative to it.
    private func resolving<R>(
        _ path: String, _ operation: FileSystemError.Operation,
        _ body: (Int32, String) throws(FileSystemError) -> R
    ) throws(FileSystemError) -> R {
        guard let directory, let rest = directory.rest(of: path) else { return try body(AT_FDCWD, path) }
        guard let descriptor = directory.descriptor.enter() else {
            throw FileSystemError(operation: operation, path: path, code: EBADF)
        }
        defer { directory.descriptor.leave() }
        return try body(descriptor, rest)
    }
}

/// An open directory, and the path that leads into it.
private final class BoundDirectory: Sendable {
    struct Owner {
        let user: uid_t
        let group: gid_t
    }

    let descriptor: SharedDescriptor
    let owner: Owner
    private let path: String

    init(_ descriptor: SharedDescriptor, path: String, owner: Owner) {
        (self.descriptor, self.path, self.owner) = (descriptor, path, owner)
    }

    /// Who gets what this process makes at a path; nil if it keeps it.
    func heir(of path: String) -> Owner? {
        owner.user != 0 && geteuid() == 0 && rest(of: path) != nil ? owner : nil
    }

    /// A path, relative to the directory; nil if it doesn't begin with the directory's.
    func rest(of path: String) -> String? {
        // Names are compared as bytes: two texts that Swift counts as equal can be two names.
        if path.utf8.elementsEqual(self.path.utf8) { return "." }
        if self.path == "." { return path.utf8.first == UInt8(ascii: "/") ? nil : path }
        guard path.utf8.starts(with: self.path.utf8) else { return nil }
        let rest = path.utf8.dropFirst(self.path.utf8.count)
        guard rest.first == UInt8(ascii: "/") || self.path == "/" else { return nil }
        let relative = String(Substring(rest.drop { $0 == UInt8(ascii: "/") }))
        return relative.isEmpty ? "." : relative
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
            case S_IFLNK: .symbolicLink
            default: .other
            }
    }
}
