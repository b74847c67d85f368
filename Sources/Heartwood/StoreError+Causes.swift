internal import HeartwoodFileSystem
internal import HeartwoodFiles

/// The errors of a store that is open, or is to be opened.
extension StoreError {
    /// The store is held by another opening.
    static func locked(_ cause: FileSystemError, directory: String) -> StoreError {
        let holder = cause.lockHolder.map { "process \($0)" } ?? "another process"
        return StoreError(
            .locked,
            "the store is in use by \(holder): close it there, or wait; never delete the lock file",
            file: directory, cause: cause)
    }

    /// There is nothing to open, and the configuration says not to make it.
    static func noStore(_ path: String) -> StoreError {
        StoreError(.notFound, "there is no store here: check the path, or open it with createIfMissing", file: path)
    }

    static let closed = StoreError(.closed, "the store is closed: open it again")

    static let cancelled = StoreError(
        .cancelled, "the task was cancelled before the write was accepted: nothing was written")

    static let compactionCancelled = StoreError(
        .cancelled, "the task was cancelled, so compaction was given up: the store is as before")

    /// The store was closed, but a failure had come before.
    static func closedAfterFailure(_ failure: StoreError) -> StoreError {
        let isMissing = (failure.cause as? FileSystemError)?.operation == .status
        return StoreError(
            .failed,
            isMissing
                ? "the store is closed, but a file of it was removed, or its directory was moved, while it was open, so the newest writes may be lost: look for the directory, or go back to a backup"
                : "the store is closed, but an earlier write to the log had failed, so the newest writes may be lost: open it again and look",
            file: failure.file, cause: failure.cause)
    }
}
