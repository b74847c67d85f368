extension ReadableKeyValueStore {
    /// Verifies all repositories of the store, without the types of their models.
    ///
    /// It checks that each record has the layout of a record, a version that the catalogue allows, and keys in each
    /// index that is ready; that each index has the entries that its records list, with the same expiry, and no others;
    /// and that no key of the typed layer belongs to no repository. It can't tell whether the listed keys are those of
    /// the record's values: `ReadableRepository.verify(_:)` does.
    ///
    /// It reads one view, beside all writes. If the engine ends the view, it continues in a new one. Each record and
    /// each entry is still judged in one view, so that a write is never reported as damage. But an entry or a record
    /// that is damaged or repaired between two views may be missed, and the figures are of several moments.
    ///
    /// - Returns: The figures of each repository, and what was found. A finding is no error.
    /// - Throws: `.unsupportedFormat` if a repository was made by a newer version of Heartwood; `.cancelled`; what
    ///   reading throws.
    /// - Complexity: Reads each record once, and again for each of its index entries; O(1) memory, but several MiB and
    ///   the largest record.
    public nonisolated(nonsending) func verifyRepositories() async throws(StoreError) -> RepositoryVerification {
        let pass = VerificationPass(self, isComparing: true)
        try await pass.run()
        return pass.result
    }

    /// The repositories of the store, with their indexes and sizes, by name.
    ///
    /// - Throws: `.corruption` if the catalogue's entry of a repository doesn't decode; `.unsupportedFormat` if a
    ///   repository was made by a newer version of Heartwood; `.cancelled`; what reading throws.
    /// - Complexity: Reads each record and each index entry once.
    public nonisolated(nonsending) func repositoryFigures() async throws(StoreError) -> [RepositoryFigures] {
        let pass = VerificationPass(self, isComparing: false)
        try await pass.count()
        return pass.result.repositories
    }
}
