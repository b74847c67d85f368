internal import HeartwoodConcurrency
internal import Logging
internal import Synchronization

extension Store {
    /// Writes all live data into a snapshot, and deletes the log that it replaces. Writers and readers continue
    /// meanwhile.
    ///
    /// The snapshot covers all writes accepted before the call. A store also compacts itself, as its configuration
    /// says. Call this when you know that it pays, such as before a backup or after many removals.
    ///
    /// If the task is cancelled and no other caller waits for this compaction, it is abandoned. The contents of the
    /// store are the same either way.
    ///
    /// - Parameter progress: Called from time to time, on the thread that compacts.
    /// - Returns: What was done. Files that read views and scans still read from are deleted later, when these are
    ///   released.
    /// - Throws: `.closed`, `.cancelled`, `.failed`, `.outOfSpace` with the bytes needed, `.corruption` if a record is
    ///   damaged, `.inputOutput`, `.permission`, `.tooManyFiles`. Nothing was deleted then.
    /// - Complexity: O(live bytes), which are written once and read twice. The work in the index is O(keys of the log).
    @discardableResult
    public nonisolated(nonsending) func compact(
        progress: (@Sendable (CompactionProgress) -> Void)? = nil
    ) async throws(StoreError) -> CompactionReport {
        let control = log.compaction
        let id = control.makeRequestID()
        let outcome = await withTaskCancellationHandler {
            await Sleeper.suspend {
                log.compact(CompactionControl.Request(id: id, sleeper: $0, progress: progress))
            }
        } onCancel: {
            control.cancel(id)
        }
        return try outcome.get()
    }
}
