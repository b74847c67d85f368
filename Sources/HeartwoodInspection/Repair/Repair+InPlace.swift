internal import Heartwood
public import HeartwoodFileSystem
internal import HeartwoodFormat

extension Repair {
    /// The name of the file that keeps a store from being opened while its files are exchanged.
    static let guardName = StoreFileName.log(.max)

    /// Puts a repaired store in the place of the damaged one, whose files are moved into a directory within it first,
    /// `damaged-TIME`, and stay there.
    ///
    /// The store is locked meanwhile. If the process or the system dies while files are exchanged, a file is left that
    /// makes every opening refuse, and says what to do.
    ///
    /// - Parameter now: In milliseconds since 1970; the directory is named by it.
    /// - Throws: `StoreError`, as ``plan(_:_:fileSystem:progress:)``; `.locked` while the store is in use.
    public static func runInPlace(
        _ path: String, _ options: RepairOptions = RepairOptions(), now: UInt64,
        fileSystem: any FileSystem = POSIXFileSystem(), progress: ((InspectionProgress) throws -> Void)? = nil
    ) throws -> RepairReport {
        try translatingErrors {
            guard try fileSystem.kind(of: path) == .directory else {
                throw StoreError(.notFound, "there is no directory here: check the path", file: path)
            }
            let lock: any FileLock
            do {
                lock = try fileSystem.lock(path + "/" + StoreFileName.lockName)
            } catch let error as FileSystemError where error.isLocked {
                throw StoreError(
                    .locked,
                    "the store is in use by \(error.lockHolder.map { "process \($0)" } ?? "another process"): end that first",
                    file: path, cause: error)
            }
            defer { lock.unlock() }
            let partial = path + "/repaired-\(now).partial"
            var report = try build(path, in: partial, options, now, fileSystem, progress)
            let aside = path + "/damaged-\(now)"
            try exchange(path, with: partial, aside, in: fileSystem)
            report.output = path
            report.movedTo = aside
            return report
        }
    }

    private static func exchange(
        _ path: String, with partial: String, _ aside: String, in fileSystem: any FileSystem
    ) throws {
        try fileSystem.createDirectory(aside)
        try fileSystem.syncDirectory(path)
        let guardPath = path + "/" + guardName
        let note = try fileSystem.openFile(guardPath, for: .create)
        let text = """
            A repair of this store was interrupted while files were exchanged, so no opening is to succeed.
            The files from before are in \(aside), the repaired ones in \(partial) or here.
            Move all files from before back here, remove the others and this one, and repair again.

            """
        try Array(text.utf8).withUnsafeBytes { try note.writeFully($0, at: 0) }
        try note.sync(.full)
        try note.close()
        try fileSystem.syncDirectory(path)
        for name in try fileSystem.contents(ofDirectory: path)
        where name != guardName && isMoved(name, path, fileSystem) {
            try fileSystem.rename(path + "/" + name, to: aside + "/" + name)
        }
        try fileSystem.syncDirectory(aside)
        for name in try fileSystem.contents(ofDirectory: partial) {
            try fileSystem.rename(partial + "/" + name, to: path + "/" + name)
        }
        try fileSystem.remove(partial)
        try fileSystem.syncDirectory(path)
        try fileSystem.remove(guardPath)
        try fileSystem.syncDirectory(path)
    }

    /// All of the store's files, and those in preparation; not the lock, nor what isn't ours.
    private static func isMoved(_ name: String, _ path: String, _ fileSystem: any FileSystem) -> Bool {
        switch StoreFileName(name) {
        case .log, .snapshot: true
        case .temporary: (try? fileSystem.kind(of: path + "/" + name)) == .file
        case .lock, .other: false
        }
    }
}
