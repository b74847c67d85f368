extension Repository {
    /// Builds indexes that are new or changed, migrates records of older versions, and removes the entries of indexes
    /// that were dropped, beside all other reads and writes.
    ///
    /// It goes over the records in batches, each of which is atomic and a few hundred records at most. Interrupted by a
    /// crash or a cancellation, it continues where it was when it is called again. An index is used by queries only
    /// when it is complete.
    ///
    /// - Parameter progress: Called after each batch, with what was done and found until then.
    /// - Returns: What was done, and what prevents an index from being ready.
    /// - Throws: `.cancelled`; what reading and writing throw.
    /// - Complexity: O(records) if there is something to do; otherwise O(1).
    @discardableResult
    public nonisolated(nonsending) func maintain(
        _ progress: (MaintenanceReport) -> Void = { _ in }
    ) async throws(StoreError) -> MaintenanceReport {
        try Transaction.checkOutside(of: store)
        var pass = MaintenancePass(core, store)
        return try await pass.run(progress)
    }

    /// The indexes that queries use now.
    public var readyIndexes: [String] {
        core.base.catalogued.entry.indexes.filter { $0.state == .ready }.map(\.name)
    }
}
