internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// A log segment that an opening reads.
struct OpenedLog {
    let file: DataFile
    let header: FileHeader
    /// What the next segment says of it.
    let successor: FileHeader.Predecessor?
}

/// The files of a directory that an opening reads, opened: the newest snapshot that verifies, and the log behind it.
///
/// Which they are, and whether they are a store, `StoreFiles` says.
struct ChosenFiles {
    /// nil: the log alone.
    private(set) var snapshot: SnapshotFile?
    /// The segments behind it.
    private(set) var logs: [OpenedLog] = []
    /// Segments that the snapshot covers, oldest first, closed.
    private(set) var covered: [RetainedLog] = []
    /// Older snapshots, which it covers too.
    private(set) var older: [String] = []
    /// Snapshots that are damaged and not needed.
    private(set) var passedOver: [String] = []

    /// - Throws: `.corruption`, `.unsupportedFormat`, and what the system says.
    init(_ directory: StoreDirectory, in fileSystem: any FileSystem) throws(StoreError) {
        let logs = directory.logs.map { Self.open($0.name, for: .readWrite, directory, fileSystem) }
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
            // Of a link that leads nowhere the system says what is wrong.
            if entry.kind == nil { _ = try fileSystem.openFile(entry.path, for: .read) }
        } catch {
            entry.failure = error
        }
        return entry
    }

    /// Takes what counts, and closes the rest.
    private mutating func take(
        _ files: StoreFiles, of listing: StoreListing
    ) throws(FileSystemError) -> Result<Void, StoreError> {
        if var refusal = files.refusal {
            // What is lost by it is known once all is read.
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
                    covered.append(RetainedLog(path: member.file.path, bytes: member.file.size))
                }
                try? member.file.file.close()
            }
        }
        passedOver = files.passedOver
        return .success(())
    }
}
