internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// A store's directory: found or created, held open, locked, and listed.
struct StoreDirectory {
    let path: String
    /// Bound to the directory, so that all files are in the directory that is locked.
    let fileSystem: any FileSystem
    let lock: any FileLock
    /// The log segments' names, in the order of their first sequence numbers.
    private(set) var logs: [(name: String, firstSequence: SequenceNumber)] = []
    /// Temporary files of earlier openings.
    private(set) var leftovers: [String] = []
    /// Whether the store records that its log is kept.
    private(set) var keepsLog = false
    /// The snapshots' names, in the order of their sequence numbers.
    private(set) var snapshots: [(name: String, sequence: SequenceNumber)] = []

    /// Finds or creates the directory and takes the lock.
    init(_ path: String, configuration: Store.Configuration) throws(StoreError) {
        self.path = path
        var fileSystem = configuration.fileSystem
        var kind: PathKind
        var made: Set<String> = []
        do throws(FileSystemError) {
            let mayMake = configuration.createIfMissing
            kind = try Self.findOrMake(path, mayMake: mayMake, in: fileSystem, &made)
            if kind == .directory {
                fileSystem = try fileSystem.bound(to: path)
                try fileSystem.checkTrust(in: path)
            }
            if kind == .directory, !mayMake {
                let names = try fileSystem.contents(ofDirectory: path)
                // No lock file is left in a directory that has no store.
                if !names.contains(where: Self.isOfStore) { kind = .missing }
            }
        } catch {
            throw StoreError(error, "the store's directory could not be opened")
        }
        switch kind {
        case .missing: throw .noStore(path)
        case .otherFile:
            throw StoreError(
                .notFound, "this is not a directory: give a store's directory, or the name of a new one", file: path)
        case .brokenLink:
            throw StoreError(
                .notFound, "a symbolic link on this path leads nowhere: make the directory that it names, or remove it",
                file: path)
        case .directory: self.fileSystem = fileSystem
        }
        do throws(FileSystemError) {
            lock = try fileSystem.lock(path + "/" + StoreFileName.lockName)
        } catch {
            if error.isLocked { throw .locked(error, directory: path) }
            throw StoreError(error, "the store could not be locked")
        }
        do throws(FileSystemError) {
            try list(fileSystem)
            if logs.isEmpty, snapshots.isEmpty { try Self.syncWay(to: path, made: made, in: fileSystem) }
        } catch {
            lock.unlock()
            throw StoreError(error, "the store's directory could not be read")
        }
    }

    /// What exists at the path.
    private enum PathKind { case directory, otherFile, brokenLink, missing }

    /// Checks the path, and creates a directory there if allowed.
    private static func findOrMake(
        _ path: String, mayMake: Bool, in fileSystem: any FileSystem, _ made: inout Set<String>
    ) throws(FileSystemError) -> PathKind {
        switch try fileSystem.kind(of: path) {
        case nil:
            guard mayMake else { return .missing }
            do throws(FileSystemError) {
                try make(path, in: fileSystem, &made)
            } catch {
                // Another process may have created it in between.
                guard error.isAlreadyExists else { throw error }
                return try fileSystem.kind(of: path) == .directory ? .directory : .brokenLink
            }
            return .directory
        case .directory?:
            return .directory
        case .file?, .symbolicLink?, .other?:
            return .otherFile
        }
    }

    private mutating func list(_ fileSystem: any FileSystem) throws(FileSystemError) {
        for name in try fileSystem.contents(ofDirectory: path) {
            switch StoreFileName(name) {
            case .log(let first):
                logs.append((name, first))
                try fileSystem.checkTrust(in: path + "/" + name)
            case .snapshot(let sequence):
                snapshots.append((name, sequence))
                try fileSystem.checkTrust(in: path + "/" + name)
            case .temporary:
                if Reserve.Piece(rawValue: name) == nil { leftovers.append(path + "/" + name) }
            case .keepLog: keepsLog = true
            case .lock, .other: break
            }
        }
        logs.sort { $0.firstSequence < $1.firstSequence }
        snapshots.sort { $0.sequence < $1.sequence }
    }

    private static func isOfStore(_ name: String) -> Bool {
        switch StoreFileName(name) {
        case .log, .snapshot, .lock: true
        case .temporary, .keepLog, .other: false
        }
    }

    /// Creates the directory and its missing parents.
    private static func make(
        _ path: String, in fileSystem: any FileSystem, _ made: inout Set<String>
    ) throws(FileSystemError) {
        let parent = parent(of: path)
        if parent != path, try fileSystem.kind(of: parent) == nil { try make(parent, in: fileSystem, &made) }
        try fileSystem.createDirectory(path)
        made.insert(path)
    }

    /// Syncs the directories above a store, before its first file is made.
    ///
    /// All of them, not only those that this opening created: an earlier opening may have created some and ended before
    /// it synced them. A parent directory without read permission can't be synced. In that case, the process that
    /// created ours must have synced it.
    private static func syncWay(
        to path: String, made: Set<String>, in fileSystem: any FileSystem
    ) throws(FileSystemError) {
        var child = path
        while true {
            let parent = parent(of: child)
            guard parent != child else { return }
            do throws(FileSystemError) {
                try fileSystem.syncDirectory(parent)
            } catch {
                guard error.isPermission, !made.contains(child) else { throw error }
            }
            child = parent
        }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        let parent = path[..<slash]
        return parent.isEmpty ? "/" : String(parent)
    }
}

extension String {
    /// The path of a store, without slashes at its end.
    ///
    /// - Throws: `.invalidArgument` if no store can have it.
    var checkedStorePath: String {
        get throws(StoreError) {
            var path = Substring(self)
            while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw StoreError(.invalidArgument, "the path of a store must be neither empty nor contain a zero byte")
            }
            guard !HomePath.isMeant(by: String(path)) else {
                throw StoreError(.invalidArgument, HomePath.refusal, file: String(path))
            }
            switch StoreFileName(path.split(separator: "/").last.map(String.init) ?? "") {
            case .log, .snapshot, .lock, .keepLog:
                throw StoreError(
                    .invalidArgument, "this is the name of a file of a store: choose another one for a store itself",
                    file: String(path))
            case .temporary, .other: break
            }
            return String(path)
        }
    }
}
