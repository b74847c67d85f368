internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// The two long parts of a compaction: writing a snapshot and reading it back. They hold no lock.
struct SnapshotMaking: Sendable {
    let image: StoreImage
    let control: CompactionControl

    /// The snapshot's temporary path. Openings ignore a file of this name.
    var path: String { image.directory + "/" + StoreFileName.newSnapshotName }

    /// Writes the pinned state and syncs the file.
    func write(_ header: FileHeader, _ pin: ReadPin) throws(StoreError) {
        let total = image.index.statistics.keys
        let file: any File
        do throws(FileSystemError) {
            if let reserved = try takeReserved() {
                file = reserved
            } else {
                file = try image.fileSystem.openFile(path, for: .create)
            }
        } catch {
            throw StoreError(error, "the snapshot could not be written")
        }
        var writer = SnapshotWriter(pin, file, header) {
            control.isCancelled
        } report: { keys, bytes in
            control.report(CompactionProgress(phase: .writing, keys: keys, totalKeys: total, writtenBytes: bytes))
        }
        do throws(StoreError) {
            try writer.write()
        } catch {
            try? file.close()
            throw error
        }
        do throws(FileSystemError) {
            if try file.size() > writer.position { try file.truncate(to: writer.position) }
            try file.sync(.full)
            file.forgetCache()
            try file.close()
        } catch {
            throw StoreError(error, "the snapshot could not be brought to the disk")
        }
    }

    /// Reads the whole snapshot back and verifies it. It reads from the disk if the system allows that, not from the
    /// page cache.
    func verify(_ sequence: SequenceNumber) throws(StoreError) -> SnapshotFile {
        let snapshot = try SnapshotFile(path, sequence: sequence, in: image.fileSystem)
        var check = try SnapshotCheck(snapshot)
        let total = Int(snapshot.footer.recordCount)
        let isWhole = try check.run { keys in
            control.report(
                CompactionProgress(phase: .verifying, keys: keys, totalKeys: total, writtenBytes: snapshot.size))
            return !control.isCancelled
        }
        if !isWhole { throw .compactionCancelled }
        return snapshot
    }

    /// Takes the file that is reserved for a snapshot; nil if there is none.
    private func takeReserved() throws(FileSystemError) -> (any File)? {
        let fileSystem = image.fileSystem
        do throws(FileSystemError) {
            try fileSystem.rename(Reserve.Piece.snapshot.path(in: image.directory), to: path)
        } catch {
            if !error.isNotFound { throw error }
            return nil
        }
        return try Reserve.open(path, in: fileSystem)
    }

    /// Returns the file to the reserve, or removes it if that fails.
    func removeUnfinished() {
        let fileSystem = image.fileSystem
        let piece = Reserve.Piece.snapshot
        do throws(FileSystemError) {
            let file = try fileSystem.openFile(path, for: .readWrite)
            try file.allocateFully(piece.bytes, at: 0)
            // Otherwise a repair would find snapshot data in it.
            try file.zero(from: 0, count: piece.bytes)
            try file.truncate(to: piece.bytes)
            try file.close()
            try fileSystem.rename(path, to: piece.path(in: image.directory))
        } catch {
            try? fileSystem.remove(path)
        }
    }
}
