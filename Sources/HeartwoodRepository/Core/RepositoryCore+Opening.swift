extension RepositoryCore {
    /// Opens a repository, and makes its entry in the catalogue if there is none.
    ///
    /// - Throws: What reading and writing throw; `.newerModel`, `.unknownIndex`, `.invalidArgument`, also if the
    ///   records have other ids. Nothing is written then.
    static nonisolated(nonsending) func open(
        _ definition: RepositoryDefinition<Model>, in store: any KeyValueStore
    ) async throws(StoreError) -> RepositoryCore {
        let coding = try definition.coding
        let shape = try definition.shape(coding, hasOtherWriters: store.limits.hasOtherWriters)
        let key = KeyLayout.catalogueKey(definition.name)
        var opened: (entry: CatalogueEntry, revision: SequenceNumber?)?
        let sequence = try await store.ownTransaction(.synced) { (transaction) async throws(StoreError) in
            let stored = try await transaction.fetchEntry(key)
            let entry = try await Self.reconcile(stored, shape, transaction)
            try coding.migrations.check(entry)
            if let stored {
                let isNewVersion = try CatalogueEntry(bytes: stored.value).version < entry.version
                let core = RepositoryCore(store, definition, shape, coding, entry, stored.sequence)
                try await core.checkIDs(migrates: isNewVersion, transaction.view)
            }
            let bytes = try entry.bytes
            if bytes == stored?.value {
                opened = (entry, stored?.sequence)
            } else {
                opened = (entry, nil)
                try transaction.put(key, bytes)
            }
        }
        guard let (entry, revision) = opened else { throw .noCatalogueEntry(definition.name) }
        return RepositoryCore(store, definition, shape, coding, entry, revision ?? sequence)
    }

    private static nonisolated(nonsending) func reconcile(
        _ stored: Entry?, _ shape: RepositoryShape, _ transaction: Transaction
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
        let coding = try definition.coding
        let shape = try definition.shape(coding, hasOtherWriters: true)
        guard let stored = try await store.fetchEntry(KeyLayout.catalogueKey(definition.name)) else {
            throw .noCatalogueEntry(definition.name)
        }
        let entry = try CatalogueEntry(bytes: stored.value)
        _ = try entry.reconciled(with: shape)
        let core = RepositoryCore(store, definition, shape, coding, entry, stored.sequence)
        try await core.checkIDs(migrates: entry.version < definition.version, store)
        return core
    }

    /// Refuses a type whose ids have other keys than the records. Looks at the first record; if the opening raises the
    /// version of the model, at what the migrations make of some of the first records and of the last ones.
    ///
    /// - Throws: `.invalidArgument`.
    private nonisolated(nonsending) func checkIDs(
        migrates: Bool, _ reader: any KeyValueReader
    ) async throws(StoreError) {
        for reversed in migrates ? [false, true] : [false] {
            do throws(StoreError) {
                let page = try await reader.fetchEntries(
                    in: base.layout.records, reversed: reversed, limit: migrates ? 64 : 1)
                for entry in page.entries { try checkID(of: entry, migrates: migrates) }
            } catch {
                // A record that the disk has damaged leaves the others usable.
                if error.code != .corruption { throw error }
            }
        }
    }

    private func checkID(of entry: Entry, migrates: Bool) throws(StoreError) {
        let id = base.layout.id(ofRecord: entry.key)
        if coding.ids.isOfOtherType(id) { throw .noID(id, of: Model.ID.self, in: base.name) }
        // Maintenance lists what doesn't decode.
        if migrates, let model = try? decoded(entry),
            let other = otherID(of: model, entry.key)
        {
            throw .wouldMove(id, to: other, in: base.name)
        }
    }
}
