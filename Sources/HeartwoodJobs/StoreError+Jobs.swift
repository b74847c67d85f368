public import KeyValueStore

/// The errors of queues.
extension StoreError.Code {
    /// The lease of a job has ended, and another worker has the job, or it is finished or removed. Stop: what this
    /// attempt writes may be written by another one, too.
    public static let leaseLost = StoreError.Code("leaseLost")
}

extension StoreError {
    static func leaseLost(_ id: JobID) -> StoreError {
        StoreError(
            .leaseLost, "this attempt has no longer the lease of the job \(id): write nothing, and return")
    }
}
