internal import HeartwoodFiles
package import HeartwoodFileSystem
internal import HeartwoodFormat

extension Repair {
    /// Replaces a damaged store by a repaired one. The old files are moved into a directory within the store,
    /// `damaged-TIME`, and stay there.
    ///
    /// The store is locked meanwhile. If the process or the system dies while files are exchanged, a guard file remains
    /// that makes every opening fail. Call this again: it puts the old files back and starts again. After it has
    /// returned, nothing else is left over.
    ///
    /// - Parameters:
    ///   - path: The directory of the store.
    ///   - options: What to recover.
    ///   - now: The present time in milliseconds since 1970, for the name of the directory for the old files.
    ///   - progress: As of ``plan(_:_:progress:)``.
    /// - Throws: `StoreError`, as ``plan(_:_:progress:)``; `.locked` while the store is in use. The
    ///   directory is then unchanged, or can't be opened; in both cases this can be called again.
    public static func runInPlace(
        _ path: String, _ options: RepairOptions = RepairOptions(), now: UInt64,
        progress: ((InspectionProgress) throws -> Void)? = nil
    ) throws -> RepairReport {
        try runInPlace(path, options, now: now, fileSystem: POSIXFileSystem(), progress: progress)
    }

    package static func runInPlace(
        _ path: String, _ options: RepairOptions = RepairOptions(), now: UInt64,
        fileSystem: any FileSystem, progress: ((InspectionProgress) throws -> Void)? = nil
    ) throws -> RepairReport {
        try translatingErrors {
            guard try fileSystem.kind(of: path) == .directory else {
                throw StoreError(.notFound, "there is no directory here: check the path", file: path)
            }
            let fileSystem = try fileSystem.bound(to: path)
            try fileSystem.checkTrust(in: path)
            let lock: any FileLock
            do {
                lock = try fileSystem.lock(path + "/" + StoreFileName.lockName)
            } catch let error as FileSystemError where error.isLocked {
                throw StoreError(
                    .locked,
                    "the store is in use by \(error.lockHolderText): end that first",
                    file: path, cause: error)
            }
            defer { lock.unlock() }
            if let interrupted = try Exchange(interruptedIn: path, fileSystem) { try interrupted.undo() }
            guard try fileSystem.kind(of: path + "/" + RepairGuard.name) == nil else {
                throw StoreError(
                    .invalidArgument,
                    "a file has the name that a repair in place needs: give it another one, "
                        + "or repair to a new directory",
                    file: path + "/" + RepairGuard.name)
            }
            try Exchange.removeLeftovers(in: path, fileSystem)
            let partial = "\(Exchange.partialPrefix)\(now)\(Exchange.partialSuffix)"
            var report = try build(path, in: path + "/" + partial, options, now, fileSystem, progress)
            let exchange = try Exchange(path, with: partial, now, fileSystem)
            do {
                try exchange.run()
            } catch {
                // What fails here may succeed in the next repair. Remove leftovers only if the old files are back in
                // place.
                if (try? exchange.undo()) != nil { try? Exchange.removeLeftovers(in: path, fileSystem) }
                throw error
            }
            report.output = path
            report.movedTo = path + "/" + exchange.files.aside
            return report
        }
    }
}

/// Exchanges the files of a store for those of a repaired one.
///
/// A guard, a file that makes every opening fail, is in the directory from before the first move until after the last.
/// There are three steps, each durable before the next begins: the guard is created; the old files are moved out; the
/// new files are moved in. All new files stay in their own directory until all old files are moved. So after an
/// interruption, a file in the store's directory is a new one exactly if its name is the name of a new file and is
/// missing in the directory of the new files.
struct Exchange {
    static let partialPrefix = "repaired-"
    static let partialSuffix = ".partial"
    static let asidePrefix = "damaged-"
    /// More than the names of a million segments take.
    private static let mostGuardBytes: UInt64 = 64 << 20

    let files: RepairGuard
    private let path: String
    private let fileSystem: any FileSystem

    private var guardPath: String { path + "/" + RepairGuard.name }
    private var aside: String { path + "/" + files.aside }
    private var partial: String { path + "/" + files.partial }

    init(_ path: String, with partial: String, _ now: UInt64, _ fileSystem: any FileSystem) throws {
        self.path = path
        self.fileSystem = fileSystem
        var (aside, number) = ("\(Self.asidePrefix)\(now)", 1)
        while try fileSystem.kind(of: path + "/" + aside) != nil {
            number += 1
            aside = "\(Self.asidePrefix)\(now)-\(number)"
        }
        let names = try fileSystem.contents(ofDirectory: path + "/" + partial).filter { StoreFileName($0).isData }
        files = RepairGuard(aside: aside, partial: partial, newNames: names)
    }

    /// An exchange that was interrupted; nil if there is none. O(files).
    init?(interruptedIn path: String, _ fileSystem: any FileSystem) throws {
        self.path = path
        self.fileSystem = fileSystem
        let guardPath = path + "/" + RepairGuard.name
        guard try fileSystem.kind(of: guardPath) == .file else { return nil }
        let file = try fileSystem.openFile(guardPath, for: .read)
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: Int(min(try file.size(), Self.mostGuardBytes)))
        let count = try bytes.withUnsafeMutableBytes { try file.readFully(into: $0, at: 0) }
        guard let files = RepairGuard(bytes.prefix(count)) else { return nil }
        self.files = files
    }

    // MARK: - Forward

    func run() throws {
        try fileSystem.createDirectory(aside)
        try fileSystem.syncDirectory(path)
        try writeGuard()
        for name in try oldNames() { try fileSystem.rename(path + "/" + name, to: aside + "/" + name) }
        try fileSystem.syncDirectory(aside)
        try fileSystem.syncDirectory(path)
        for name in files.newNames { try fileSystem.rename(partial + "/" + name, to: path + "/" + name) }
        try fileSystem.syncDirectory(path)
        try fileSystem.syncDirectory(partial)
        // Remove this before the guard: a directory without a guard must need no further work.
        try Repair.remove(partial, in: fileSystem)
        try removeGuard()
    }

    /// Writes the guard under another name until all of it is durable, because an incomplete guard can't be read.
    private func writeGuard() throws {
        let unfinished = path + "/" + RepairGuard.unfinishedName
        let file = try fileSystem.openFile(unfinished, for: .create)
        try files.text.withUnsafeBytes { try file.writeFully($0, at: 0) }
        try file.sync(.full)
        try file.close()
        try fileSystem.rename(unfinished, to: guardPath)
        try fileSystem.syncDirectory(path)
    }

    private func removeGuard() throws {
        try fileSystem.remove(guardPath)
        try fileSystem.syncDirectory(path)
    }

    /// The names of all data files and temporary files of the store, without the lock file and files of other programs.
    private func oldNames() throws -> [String] {
        try fileSystem.contents(ofDirectory: path).filter { name in
            switch StoreFileName(name) {
            case .log, .snapshot: name != RepairGuard.name
            case .temporary: try fileSystem.kind(of: path + "/" + name) == .file
            case .lock, .keepLog, .other: false
            }
        }
    }

    // MARK: - Back

    /// The new files that were moved in.
    func movedIn() throws -> Set<String> {
        let waiting = try fileSystem.kind(of: partial) == .directory ? fileSystem.contents(ofDirectory: partial) : []
        return Set(files.newNames).subtracting(waiting)
    }

    /// Puts the old files back, then removes the guard. It may be interrupted at any point and called again.
    func undo() throws {
        let moved = try movedIn()
        if !moved.isEmpty {
            if try fileSystem.kind(of: partial) == nil {
                try fileSystem.createDirectory(partial)
                try fileSystem.syncDirectory(path)
            }
            for name in moved.sorted() where try fileSystem.kind(of: path + "/" + name) != nil {
                try fileSystem.rename(path + "/" + name, to: partial + "/" + name)
            }
            try fileSystem.syncDirectory(partial)
            try fileSystem.syncDirectory(path)
        }
        if try fileSystem.kind(of: aside) == .directory {
            for name in try fileSystem.contents(ofDirectory: aside) {
                try fileSystem.rename(aside + "/" + name, to: path + "/" + name)
            }
            try fileSystem.syncDirectory(path)
            try fileSystem.syncDirectory(aside)
        }
        if try fileSystem.kind(of: guardPath) != nil { try removeGuard() }
    }

    /// Removes the leftovers of in-place repairs that were interrupted before they moved a file, or after they had
    /// moved all.
    static func removeLeftovers(in path: String, _ fileSystem: any FileSystem) throws {
        for name in try fileSystem.contents(ofDirectory: path) {
            let child = path + "/" + name
            if name == RepairGuard.unfinishedName {
                try fileSystem.remove(child)
            } else if name.hasPrefix(partialPrefix), name.hasSuffix(partialSuffix) {
                if try fileSystem.kind(of: child) == .directory { try Repair.remove(child, in: fileSystem) }
            } else if name.hasPrefix(asidePrefix), try fileSystem.kind(of: child) == .directory {
                if try fileSystem.contents(ofDirectory: child).isEmpty { try fileSystem.remove(child) }
            }
        }
        try fileSystem.syncDirectory(path)
    }
}
