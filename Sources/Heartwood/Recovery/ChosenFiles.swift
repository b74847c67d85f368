internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// A log segment that an opening reads.
struct OpenedLog {
    let file: DataFile
    let header: FileHeader
    /// What the next segment's header records about this one.
    let successor: FileHeader.Predecessor?
}

/// The files of a directory that an opening reads, opened: the newest snapshot that verifies, and the log after it.
///
/// `StoreFiles` decides which files these are, and whether they are a store.
struct ChosenFiles {
    /// Nil if there is only a log.
    private(set) var snapshot: SnapshotFile?
    /// The segments after the snapshot.
    private(set) var logs: [OpenedLog] = []
    /// Segments that the snapshot covers, oldest first, closed.
    private(set) var covered: [RetainedLog] = []
    /// Older snapshots, which the snapshot also covers.
    private(set) var older: [String] = []
    /// Damaged snapshots that are not needed.
    private(set) var skippedFiles: [String] = []

    /// - Throws: `.corruption`, `.unsupportedFormat`, and errors of the system.
    init(_ directory: StoreDirectory, in fileSystem: any FileSystem) throws(StoreError) {
        // Only the newest may have to be written to. The others may have several names.
        let logs = directory.logs.enumerated().map { number, log in
            Self.open(log.name, for: number == directory.logs.count - 1 ? .readWrite : .read, directory, fileSystem)
        }
        let snapshots = directory.snapshots.map { Self.open($0.name, for: .read, directory, fileSystem) }
        let listing = StoreListing(directory.path, entries: logs + snapshots)
        let outcome: Result<Void, StoreError>
        do throws(FileSystemError) {
            outcome = try take(StoreFiles(listing, .opening), of: listing)
        } catch {
            outcome = .failure(StoreError(error, "the store's files could not be read"))
        }
        if case .failure(let error) = outcome {
            listing.close()
            throw error
        }
        if let snapshot {
            older = directory.snapshots.filter { $0.sequence < snapshot.end.lastSequence }
                .map { directory.path + "/" + $0.name }
        }
    }

    private static func open(
        _ name: String, for access: FileAccess, _ directory: StoreDirectory, _ fileSystem: any FileSystem
    ) -> StoreListing.Entry {
        var entry = StoreListing.Entry(
            name: name, path: directory.path + "/" + name, meaning: StoreFileName(name))
        do throws(FileSystemError) {
            try entry.open(for: access, in: fileSystem)
            // The system's error says that it was removed meanwhile.
            if entry.kind == nil { _ = try fileSystem.openFile(entry.path, for: .read) }
        } catch {
            entry.failure = error
        }
        return entry
    }

    /// Takes the files that are read, and closes the others.
    private mutating func take(
        _ files: StoreFiles, of listing: StoreListing
    ) throws(FileSystemError) -> Result<Void, StoreError> {
        if var refusal = files.refusal {
            // The inspection of all files tells which writes are lost.
            if refusal.severity == .corruption { refusal = try StoreFiles(listing).refusal ?? refusal }
            return .failure(StoreError(refusal))
        }
        for member in files.members {
            switch (member.role, member.file.header) {
            case (.log, let header?):
                logs.append(OpenedLog(file: member.file, header: header, successor: member.successor))
            case (.snapshot, _):
                switch try SnapshotFile.open(member.file) {
                case .success(let opened): snapshot = opened
                case .failure(let damage): return .failure(StoreError(damage, member.file.path))
                }
            default:
                if member.role == .covered {
                    covered.append(
                        RetainedLog(path: member.file.path, first: member.sequence, bytes: member.file.size))
                }
                try? member.file.file.close()
            }
        }
        skippedFiles = files.skippedFiles
        return .success(())
    }
}
