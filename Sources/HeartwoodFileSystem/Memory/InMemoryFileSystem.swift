internal import HeartwoodConcurrency

/// A file system in memory, with the errors of a real one. Its content lives as long as this object.
///
/// It starts with an empty root; relative paths start there. There are no permissions and no links, and syncs do
/// nothing. Only bytes other than zeros take memory.
package final class InMemoryFileSystem: FileSystem {
    let tree = Locked(FileTree<MemoryContents>())

    /// A file system with only an empty root directory.
    package init() {}

    package func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        let (node, contents) = try tree.withLock { tree throws(FileSystemError) in
            let place = try tree.resolve(path, for: .open)
            let node = access == .create ? try Self.create(place, in: &tree) : try place.file()
            return (node, tree.files[node]!)
        }
        return MemoryFile(path: path, node: node, contents: contents, isWritable: access != .read, of: self)
    }

    private static func create(
        _ place: FilePlace, in tree: inout FileTree<MemoryContents>
    ) throws(FileSystemError) -> Int {
        let (node, name) = (tree.nextNode, try place.nameOfNewFile())
        tree.addFile(node, MemoryContents(MemoryBytes()), in: place.parent, name)
        return node
    }

    package func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        try tree.withLock { tree throws(FileSystemError) in
            let source = try tree.resolve(path, for: .rename)
            let target = try tree.resolve(newPath, for: .rename)
            guard let (name, newName) = try tree.checkRename(source, target) else { return }
            if let replaced = tree.move(name, in: source.parent, to: target.parent, newName).replaced {
                tree.drop(replaced)
            }
        }
    }

    package func remove(_ path: String) throws(FileSystemError) {
        try tree.withLock { tree throws(FileSystemError) in
            let place = try tree.resolve(path, for: .remove)
            tree.drop(tree.remove(try tree.checkRemoval(place), in: place.parent))
        }
    }

    package func contents(ofDirectory path: String) throws(FileSystemError) -> [String] {
        try tree.withLock { tree throws(FileSystemError) in
            tree.directories[try tree.resolve(path, for: .list).directory()]!.keys.sorted()
        }
    }

    package func createDirectory(_ path: String) throws(FileSystemError) {
        try tree.withLock { tree throws(FileSystemError) in
            let place = try tree.resolve(path, for: .createDirectory)
            tree.addDirectory(tree.nextNode, in: place.parent, try place.nameOfNewDirectory())
        }
    }

    package func syncDirectory(_ path: String) throws(FileSystemError) {
        try tree.withLock { tree throws(FileSystemError) in
            _ = try tree.resolve(path, for: .syncDirectory).directory()
        }
    }

    package func kind(of path: String) throws(FileSystemError) -> FileKind? {
        try tree.withLock { tree throws(FileSystemError) in try tree.kind(at: path) }
    }

    /// Takes the lock of a file, against other users of this object.
    package func lock(_ path: String) throws(FileSystemError) -> any FileLock {
        let contents = try tree.withLock { tree throws(FileSystemError) in
            let place = try tree.resolve(path, for: .lock)
            return tree.files[place.node == nil ? try Self.create(place, in: &tree) : try place.file()]!
        }
        guard contents.withLock({ $0.tryLock() }) else {
            var error = FileSystemError(
                operation: .lock, path: path, code: ErrorNumber.EWOULDBLOCK,
                lockHolder: contents.withLock { LockFileText.holder(in: $0.bytes.bytes) })
            error.isLockedByThisProcess = true
            throw error
        }
        return MemoryFileLock(contents)
    }
}
