internal import HeartwoodConcurrency

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A file system in memory, with the errors of a real one. Its content lives as long as this object.
///
/// It starts with an empty root; relative paths start there. There are no permissions and no links, and syncs do
/// nothing. Only bytes other than zeros take memory, in pages of 64 KiB.
public final class InMemoryFileSystem: FileSystem {
    private let root = Locked(MemoryDirectory())

    /// A file system with only an empty root directory.
    public init() {}

    /// Opens a file. See ``FileSystem/openFile(_:for:)``.
    public func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        let contents = try root.withLock { root throws(FileSystemError) in
            let place = try root.resolve(path, for: .open)
            if access == .create { return try place.createFile() }
            return try place.file()
        }
        return MemoryFile(path: path, contents: contents, isWritable: access != .read) {
            [root] (path) throws(FileSystemError) in try Self.file(at: path, in: root)
        }
    }

    /// The file at a path; nil if there is none.
    private static func file(
        at path: String, in root: Locked<MemoryDirectory>
    ) throws(FileSystemError) -> MemoryContents? {
        try root.withLock { root throws(FileSystemError) -> MemoryContents? in
            do throws(FileSystemError) {
                guard case .file(let contents) = try root.resolve(path, for: .status).node else { return nil }
                return contents
            } catch let error where error.isNotFound {
                return nil
            }
        }
    }

    /// Renames a file or directory. See ``FileSystem/rename(_:to:)``.
    public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        try root.withLock { root throws(FileSystemError) in
            let source = try root.resolve(path, for: .rename)
            guard let node = source.node else { throw source.error(ENOENT) }
            let target = try root.resolve(newPath, for: .rename)
            guard let name = source.name, let newName = target.name else { throw source.error(EBUSY) }
            switch (node, target.node) {
            case (.file(let file), .file(let replaced)):
                if file === replaced { return }
                replaced.unlink()
            case (.file, .directory):
                throw source.error(EISDIR)
            case (.directory, .file):
                throw source.error(ENOTDIR)
            case (.directory(let directory), .directory(let replaced)):
                if directory === replaced { return }
                guard !target.isInside(directory) else { throw source.error(EINVAL) }
                guard replaced.entries.isEmpty else { throw source.error(ENOTEMPTY) }
            case (.directory(let directory), nil):
                guard !target.isInside(directory) else { throw source.error(EINVAL) }
            case (.file, nil):
                guard !target.mustBeDirectory else { throw source.error(ENOTDIR) }
            }
            source.parent.entries[name] = nil
            target.parent.entries[newName] = node
        }
    }

    /// Removes a file or an empty directory. See ``FileSystem/remove(_:)``.
    public func remove(_ path: String) throws(FileSystemError) {
        try root.withLock { root throws(FileSystemError) in
            let place = try root.resolve(path, for: .remove)
            guard let node = place.node else { throw place.error(ENOENT) }
            guard let name = place.name else { throw place.error(EBUSY) }
            if case .directory(let directory) = node, !directory.entries.isEmpty { throw place.error(ENOTEMPTY) }
            if case .file(let contents) = node { contents.unlink() }
            place.parent.entries[name] = nil
        }
    }

    /// Lists the names in a directory. See ``FileSystem/contents(ofDirectory:)``.
    public func contents(ofDirectory path: String) throws(FileSystemError) -> [String] {
        try root.withLock { root throws(FileSystemError) in
            try root.resolve(path, for: .list).directory().entries.keys.sorted()
        }
    }

    /// Creates a directory. See ``FileSystem/createDirectory(_:)``.
    public func createDirectory(_ path: String) throws(FileSystemError) {
        try root.withLock { root throws(FileSystemError) in
            let place = try root.resolve(path, for: .createDirectory)
            guard place.node == nil, let name = place.name else { throw place.error(EEXIST) }
            place.parent.entries[name] = .directory(MemoryDirectory())
        }
    }

    /// Checks that the directory exists. See ``FileSystem/syncDirectory(_:)``.
    public func syncDirectory(_ path: String) throws(FileSystemError) {
        try root.withLock { root throws(FileSystemError) in
            _ = try root.resolve(path, for: .syncDirectory).directory()
        }
    }

    /// Returns what is at the path. See ``FileSystem/kind(of:)``.
    public func kind(of path: String) throws(FileSystemError) -> FileKind? {
        try root.withLock { root throws(FileSystemError) -> FileKind? in
            do throws(FileSystemError) {
                return switch try root.resolve(path, for: .status).node {
                case .file: .file
                case .directory: .directory
                case nil: nil
                }
            } catch let error where error.isNotFound {
                return nil
            }
        }
    }

    /// Takes the lock of a file, against other users of this object. See ``FileSystem/lock(_:)``.
    public func lock(_ path: String) throws(FileSystemError) -> any FileLock {
        let contents = try root.withLock { root throws(FileSystemError) in
            let place = try root.resolve(path, for: .lock)
            return place.node == nil ? try place.createFile() : try place.file()
        }
        guard contents.tryLock(holder: getpid()) else {
            var error = FileSystemError(
                operation: .lock, path: path, code: EWOULDBLOCK, lockHolder: contents.lockHolder)
            error.isLockedByThisProcess = true
            throw error
        }
        return MemoryFileLock(contents)
    }
}
