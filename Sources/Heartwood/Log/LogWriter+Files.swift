internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Checks that the files being written to are still in the store's directory. The next opening doesn't find what was
/// written to a file that was removed or moved out of it.
extension LogWriter {
    /// Checks that a file still has a name. Called after every sync, before it acknowledges anything. Takes 0.3 µs.
    func checkLinked(_ segment: Segment) throws(Failure) {
        var isLinked = false
        try log.failing("whether a log segment still exists could not be determined", segment) {
            () throws(FileSystemError) in isLinked = try segment.file.isLinked()
        }
        if !isLinked { throw missing(segment) }
    }

    /// Checks that every file that this opening reads or writes is at its path. Called before a rotation and at the
    /// end.
    func checkFiles() throws(Failure) {
        for segment in log.segments.all {
            do throws(Failure) {
                let isThere: Bool
                if segment.header.kind == .snapshot {
                    // A compaction since which nothing was written replaces the snapshot under the same name.
                    isThere = hasFile(at: segment.path)
                } else {
                    try checkLinked(segment)
                    isThere = (try? segment.file.isAt(segment.path)) ?? true
                }
                if !isThere { throw missing(segment) }
            } catch {
                // Compaction removes files after it has removed them from the table.
                if log.segments.all.contains(where: { $0 === segment }) { throw error }
            }
        }
    }

    /// Whether a file exists. True if that can't be determined.
    private func hasFile(at path: String) -> Bool {
        do throws(FileSystemError) {
            return try log.configuration.fileSystem.kind(of: path) != nil
        } catch {
            return true
        }
    }

    private func missing(_ segment: Segment) -> Failure {
        Failure(
            cause: FileSystemError(operation: .status, path: segment.path, code: ErrorNumber.ENOENT),
            doing:
                "a file of the store was removed or moved away while the store was open, and the next opening won't "
                + "find what is in it"
        )
    }
}
