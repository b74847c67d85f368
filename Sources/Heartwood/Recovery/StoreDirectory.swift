internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// A store's directory: found or made, locked, and listed.
struct StoreDirectory {
    let path: String
    let lock: any FileLock
    /// The log segments' names, in the order of their first sequence numbers.
    private(set) var logs: [(name: String, firstSequence: SequenceNumber)] = []
    /// Files that an earlier opening was preparing.
    private(set) var leftovers: [String] = []
    private(set) var snapshots: [String] = []

    /// Finds or makes the directory and takes the lock.
    init(_ path: String, configuration: Store.Configuration) throws(StoreError) {
        let fileSystem = configuration.fileSystem
        self.path = path
        let lock: (any FileLock)?
        do throws(FileSystemError) {
            let exists = try Self.findOrMake(path, mayMake: configuration.createIfMissing, in: fileSystem)
            lock = exists ? try fileSystem.lock(path + "/" + StoreFileName.lockName) : nil
        } catch {
            if error.isLocked { throw .locked(error, directory: path) }
            throw StoreError(error, "the store's directory could not be opened")
        }
        guard let lock else { throw .noStore(path) }
        self.lock = lock
        do throws(FileSystemError) {
            try list(fileSystem)
        } catch {
            lock.unlock()
            throw StoreError(error, "the store's directory could not be read")
        }
    }

    /// Whether there is a place for the store. Asked not to make one, this leaves no lock file in a directory that holds
    /// no store.
    private static func findOrMake(
        _ path: String, mayMake: Bool, in fileSystem: any FileSystem
    ) throws(FileSystemError) -> Bool {
        if try fileSystem.kind(of: path) == nil {
            if mayMake { try make(path, in: fileSystem) }
            return mayMake
        }
        if mayMake { return true }
        return try fileSystem.contents(ofDirectory: path).contains(where: isOfStore)
    }

    private mutating func list(_ fileSystem: any FileSystem) throws(FileSystemError) {
        for name in try fileSystem.contents(ofDirectory: path) {
            switch StoreFileName(name) {
            case .log(let first): logs.append((name, first))
            case .snapshot: snapshots.append(name)
            case .temporary: leftovers.append(path + "/" + name)
            case .lock, .other: break
            }
        }
        logs.sort { $0.firstSequence < $1.firstSequence }
    }

    private static func isOfStore(_ name: String) -> Bool {
        switch StoreFileName(name) {
        case .log, .snapshot, .lock: true
        case .temporary, .other: false
        }
    }

    /// Makes the directory and those above it, each durable in its parent before anything goes into it.
    private static func make(_ path: String, in fileSystem: any FileSystem) throws(FileSystemError) {
        let parent = parent(of: path)
        if parent != path, try fileSystem.kind(of: parent) == nil { try make(parent, in: fileSystem) }
        try fileSystem.createDirectory(path)
        try fileSystem.syncDirectory(parent)
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        let parent = path[..<slash]
        return parent.isEmpty ? "/" : String(parent)
    }
}
