internal import HeartwoodConcurrency

extension RepositoryCore {
    /// Where queries read in a view or a transaction.
    ///
    /// - Parameters:
    ///   - catalogued: What was known before the view was made: an index that becomes ready later may lack entries in
    ///     it.
    ///   - omitted: The numbers of indexes that aren't used.
    func source(
        _ reader: any KeyValueReader, _ catalogued: Catalogued, omitting omitted: Set<Int> = []
    ) -> QuerySource<Model> {
        let base = base
        var reader = SourceReader(
            reader, omitted.isEmpty ? layout(catalogued) : makeLayout(catalogued, omitting: omitted))
        if base.hasOtherWriters {
            // Another program may have written without maintaining an index, and then has changed the catalogue before.
            reader.guardKey = base.catalogueKey
            reader.check = { (entry) throws(StoreError) in
                if entry?.sequence == catalogued.revision { return }
                try base.adopt(entry)
                throw .catalogueChanged
            }
        }
        return QuerySource(reader: reader, decode: { (entry) throws(StoreError) in try self.model(entry) })
    }

    /// What the planner needs to know, which changes only with the catalogue.
    private func layout(_ catalogued: Catalogued) -> QueryLayout {
        if let known = queryLayout.withLock({ $0 }), known.revision == catalogued.revision { return known.layout }
        let layout = makeLayout(catalogued, omitting: [])
        queryLayout.withLock { $0 = (catalogued.revision, layout) }
        return layout
    }

    private func makeLayout(_ catalogued: Catalogued, omitting omitted: Set<Int>) -> QueryLayout {
        var indexes: [(index: Index<Model>, entriesPrefix: [UInt8])] = []
        for (position, index) in definition.indexes.enumerated() {
            guard let number = catalogued.numbers[position], catalogued.isReady(number), !omitted.contains(number)
            else { continue }
            indexes.append((index, base.layout.entriesPrefix(number)))
        }
        return QueryLayout(
            recordPrefix: base.layout.recordPrefix, indexes: indexes, idPath: \Model.id,
            idIsOrdered: coding.ids.isOrdered,
            entryKeys: { [layout = base.layout] (entry) throws(StoreError) in
                try RecordEnvelope.decode(entry.value).0.entries(layout, id: layout.id(ofRecord: entry.key)).map(\.key)
            })
    }

    /// Calls `body` with a view; again with another one if the view has ended, or the catalogue was changed.
    nonisolated(nonsending) func reading<R>(
        _ body: (QuerySource<Model>) async throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        try await reading(
            { (store) async throws(StoreError) in try await store.readView(for: .answer) },
            { (source, _) async throws(StoreError) in try await body(source) })
    }

    /// The same, with views that are made by `makeView`.
    nonisolated(nonsending) func reading<R>(
        _ makeView: (any ReadableKeyValueStore) async throws(StoreError) -> any KeyValueView,
        _ body: (QuerySource<Model>, any KeyValueView) async throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        var backoff = ConflictBackoff(isRemote: base.hasOtherWriters)
        while true {
            if Task.isCancelled { throw .queryCancelled }
            do throws(StoreError) {
                let catalogued = base.catalogued
                let view = try await makeView(base.store)
                return try await body(source(view, catalogued), view)
            } catch {
                guard error.code == .viewEnded || error.isCatalogueChange else { throw error }
            }
            await backoff.wait()
        }
    }
}
