internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// The parts of a compaction that take long and hold no lock: writing a snapshot, and reading it back.
struct SnapshotMaking: Sendable {
    let log: Log

    /// Where it is made. A file of this name means nothing.
    var path: String { log.directory + "/" + StoreFileName.newSnapshotName }

    /// Writes all of a held state, and brings it to the disk.
    func write(_ header: FileHeader, _ hold: Hold) throws(StoreError) {
        let (control, total) = (log.compaction, log.index.statistics.keys)
        let file: any File
        do throws(FileSystemError) {
            file = try log.configuration.fileSystem.openFile(path, for: .create)
        } catch {
            throw StoreError(error, "the snapshot could not be written")
        }
        var writer = SnapshotWriter(hold, file, header) {
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
            try file.sync(.full)
            file.forgetCache()
            try file.close()
        } catch {
            throw StoreError(error, "the snapshot could not be brought to the disk")
        }
    }

    /// Reads it back, from the disk where the system lets it, and every byte of it.
    func verify(_ sequence: SequenceNumber) throws(StoreError) -> SnapshotFile {
        let control = log.compaction
        let snapshot = try SnapshotFile(path, sequence: sequence, in: log.configuration.fileSystem)
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

    func removeUnfinished() {
        try? log.configuration.fileSystem.remove(path)
    }
}
