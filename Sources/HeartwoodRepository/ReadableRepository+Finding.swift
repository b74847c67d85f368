/// Finding by id.
extension ReadableRepository {
    /// The model with an id; nil if there is none.
    ///
    /// - Throws: `.undecodable` if the record doesn't decode as the model, or as one with another id; `.newerModel` if
    ///   it is of a newer version; what reading throws.
    /// - Complexity: One read.
    public nonisolated(nonsending) func find(by id: Model.ID) async throws(StoreError) -> Model? {
        let core = readOnly.core
        let key = try core.key(id)
        // No Result: its type would have to be looked up at run time.
        var model: Model?
        var failure: StoreError?
        _ = try await core.base.lender.lendEntry(key) { bytes, _, _ in
            do throws(StoreError) {
                model = try core.model(bytes, key: key)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return model
    }

    /// The models with these ids, in the order of the ids, all of one moment; nil where there is none.
    ///
    /// - Throws: As `find(by:)` with one id.
    /// - Complexity: One read of each, all at once.
    public nonisolated(nonsending) func find(by ids: [Model.ID]) async throws(StoreError) -> [Model?] {
        let core = readOnly.core
        var keys: [[UInt8]] = []
        keys.reserveCapacity(ids.count)
        for id in ids { keys.append(try core.key(id)) }
        var models: [Model?] = []
        models.reserveCapacity(ids.count)
        for entry in try await core.base.store.fetchEntries(of: keys) {
            models.append(try entry.map { (entry) throws(StoreError) in try core.model(entry) })
        }
        return models
    }

    /// The model with an id and its revision, for ``Repository/save(_:replacing:expires:durability:)``; nil if there is
    /// none.
    ///
    /// - Throws: As `find(by:)` with one id.
    /// - Complexity: One read.
    public nonisolated(nonsending) func findVersioned(
        by id: Model.ID
    ) async throws(StoreError) -> Versioned<Model>? {
        let core = readOnly.core
        guard let entry = try await core.base.store.fetchEntry(try core.key(id)) else { return nil }
        return Versioned(
            model: try core.model(entry), revision: entry.sequence, expires: entry.expires,
            envelope: try RecordEnvelope.decode(entry.value).0)
    }

    /// The number of records. Doesn't read them.
    ///
    /// - Complexity: O(records) in memory for Heartwood.
    public nonisolated(nonsending) func count() async throws(StoreError) -> Int {
        try await readOnly.core.base.store.fetchCount(in: readOnly.core.base.layout.records)
    }
}
