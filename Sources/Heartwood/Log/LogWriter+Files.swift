internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Whether the files that are written to are still the store's: what goes to a file that was removed, or whose directory was
/// moved away, is lost to the next opening.
extension LogWriter {
    /// Checks that a file has a name still. After every sync, before anything is acknowledged by it: 0.3 µs.
    func checkLinked(_ segment: Segment) throws(Failure) {
        var isLinked = false
        try log.failing("whether a log segment still exists could not be determined", segment) {
            () throws(FileSystemError) in isLinked = try segment.file.isLinked()
        }
        if !isLinked { throw missing(segment) }
    }

    /// Checks that every file that this opening reads from or writes to is at its path. Before a rotation and at the end.
    func checkFiles() throws(Failure) {
        // A relative path leads elsewhere once the process has another working directory.
        let knowsPaths = log.directory.first == "/"
        for segment in log.segments.all {
            do throws(Failure) {
                let isThere: Bool
                if segment.header.kind == .snapshot {
                    // A compaction after which nothing was written replaces the snapshot under its name.
                    isThere = hasFile(at: segment.path) || !knowsPaths && ((try? segment.file.isLinked()) ?? true)
                } else {
                    try checkLinked(segment)
                    isThere = !knowsPaths || (try? segment.file.isAt(segment.path)) ?? true
                }
                if !isThere { throw missing(segment) }
            } catch {
                // Compaction removes files that it has taken out of the table.
                if log.segments.all.contains(where: { $0 === segment }) { throw error }
            }
        }
    }

    /// Whether there is something; also where that can't be determined.
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
                "a file of the store was removed, or its directory was moved, while the store was open, and the next opening won't find what is in it"
        )
    }
}
