extension RepositoryCore {
    /// Opens a repository, and makes its entry in the catalogue if there is none.
    ///
    /// - Throws: What reading and writing throw; `.newerModel`, `.unknownIndex`, `.invalidArgument`.
    static nonisolated(nonsending) func open(
        _ definition: RepositoryDefinition<Model>, in store: any KeyValueStore
    ) async throws(StoreError) -> RepositoryCore {
        let ids = idCoding(of: Model.ID.self)
        let shape = try definition.shape(
            hasOrderedIDs: ids.isOrdered, hasOtherWriters: store.limits.hasOtherWriters)
        let migrations = try MigrationPath(to: definition.version, definition.migrations)
        let key = KeyLayout.catalogueKey(definition.name)
        var opened: (entry: CatalogueEntry, revision: SequenceNumber?)?
        let sequence = try await store.ownTransaction(.synced) { (transaction) async throws(StoreError) in
            let stored = try await transaction.fetchEntry(key)
            let entry = try await Self.reconcile(stored, shape, transaction)
            try migrations.check(entry)
            let bytes = try entry.bytes
            if bytes == stored?.value {
                opened = (entry, stored?.sequence)
            } else {
                opened = (entry, nil)
                try transaction.put(key, bytes)
            }
        }
        guard let (entry, revision) = opened else { throw .noCatalogueEntry(definition.name) }
        return try RepositoryCore(store, definition, shape, ids, entry, revision ?? sequence)
    }

    private static nonisolated(nonsending) func reconcile(
        _ stored: Entry?, _ shape: RepositoryShape, _ transaction: KeyValueTransaction
    ) async throws(StoreError) -> CatalogueEntry {
        if let stored { return try CatalogueEntry(bytes: stored.value).reconciled(with: shape) }
        let next = try await transaction.fetchEntry(KeyLayout.nextNumber)
        let made = try CatalogueEntry.make(shape, next: next?.value)
        try transaction.put(KeyLayout.nextNumber, made.next)
        return made.entry
    }

    /// Opens a repository for reading only. Indexes that don't fit the definition aren't used.
    static nonisolated(nonsending) func open(
        _ definition: RepositoryDefinition<Model>, reading store: any ReadableKeyValueStore
    ) async throws(StoreError) -> RepositoryCore {
        let ids = idCoding(of: Model.ID.self)
        let shape = try definition.shape(hasOrderedIDs: ids.isOrdered, hasOtherWriters: true)
        guard let stored = try await store.fetchEntry(KeyLayout.catalogueKey(definition.name)) else {
            throw .noCatalogueEntry(definition.name)
        }
        let entry = try CatalogueEntry(bytes: stored.value)
        _ = try entry.reconciled(with: shape)
        return try RepositoryCore(store, definition, shape, ids, entry, stored.sequence)
    }
}
