internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// Errors of a store that is open or is being opened.
extension StoreError {
    /// Another opening has locked the store.
    static func locked(_ cause: FileSystemError, directory: String) -> StoreError {
        let remedy =
            cause.isLockedByThisProcess
            ? "use the 'Store' that is open already, or close it first"
            : cause.isLockHolderMissing
                ? "end that one, which 'lsof' or 'fuser' finds by the file \(StoreFileName.lockName), or wait"
                : "close it there, or wait"
        return StoreError(
            .locked, "the store is in use by \(cause.lockHolderText): \(remedy); never delete the lock file",
            file: directory, cause: cause)
    }

    /// There is no store at the path, and the configuration forbids creating one.
    static func noStore(_ path: String) -> StoreError {
        StoreError(.notFound, "there is no store here: check the path, or open it with createIfMissing", file: path)
    }

    static let followingCancelled = StoreError(
        .cancelled, "the task was cancelled, so the feed ended: follow again from the position after the last change")

    static let compactionCancelled = StoreError(
        .cancelled, "the task was cancelled, so compaction was given up: the store is as before")

    /// The store is closed, but it had failed before.
    static func closedAfterFailure(_ failure: StoreError) -> StoreError {
        let isMissing = (failure.cause as? FileSystemError)?.operation == .status
        return StoreError(
            .failed,
            isMissing
                ? "the store is closed, but a file of it was removed or moved away while it was open, so the newest "
                    + "writes may be lost: look for the file, or go back to a backup"
                : "the store is closed, but an earlier write to the log had failed, so the newest writes may be lost: "
                    + "open it again and look",
            file: failure.file, cause: failure.cause)
    }
}
