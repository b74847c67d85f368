internal import HeartwoodFileSystem

/// What the repositories of one name on one store object share: the definition, and what the catalogue says.
///
/// There is one for all of them, so that every write of this process maintains the same indexes. Programs that don't
/// share the store object change the catalogue; where there are such, each write has the catalogue's revision as a
/// condition, and each query looks at it in the same view as at the index.
final class RepositoryCore<Model: Codable & Identifiable & Sendable>: Sendable
where Model.ID: Codable & SendableMetatype {
    let store: any ReadableKeyValueStore
    let definition: RepositoryDefinition<Model>
    let shape: RepositoryShape
    let ids: any IDCoding<Model.ID> & Sendable
    let migrations: MigrationPath
    let layout: KeyLayout
    let catalogueKey: [UInt8]
    let hasOtherWriters: Bool
    private let current: Locked<Catalogued>

    /// An entry of the catalogue, and what of it concerns the definition.
    struct Catalogued: Sendable {
        let entry: CatalogueEntry
        let revision: SequenceNumber
        /// The number of each index of the definition that is maintained; nil for one that the catalogue lost.
        let numbers: [Int?]

        init(_ entry: CatalogueEntry, _ revision: SequenceNumber, _ shape: RepositoryShape) {
            (self.entry, self.revision) = (entry, revision)
            numbers = shape.indexes.map { entry.active($0)?.number }
        }
    }

    init(
        _ store: any ReadableKeyValueStore, _ definition: RepositoryDefinition<Model>, _ shape: RepositoryShape,
        _ ids: any IDCoding<Model.ID>, _ entry: CatalogueEntry, _ revision: SequenceNumber
    ) throws(StoreError) {
        (self.store, self.definition, self.shape, self.ids) = (store, definition, shape, ids)
        migrations = try MigrationPath(to: definition.version, definition.migrations)
        layout = entry.layout
        catalogueKey = KeyLayout.catalogueKey(definition.name)
        hasOtherWriters = store.limits.hasOtherWriters
        current = Locked(Catalogued(entry, revision, shape))
    }

    var catalogued: Catalogued { current.withLock { $0 } }

    /// Takes over a newer entry of the catalogue.
    ///
    /// - Throws: `.newerModel`, and `.corruption` if the entry is gone.
    func adopt(_ entry: Entry?) throws(StoreError) {
        guard let entry else { throw .noCatalogueEntry(definition.name) }
        let stored = try CatalogueEntry(bytes: entry.value)
        guard stored.version <= definition.version, stored.number == layout.number else {
            throw StoreError(
                .newerModel,
                "the repository \"\(definition.name)\" was opened by a program with version \(stored.version) of its "
                    + "model, or made again, while this one used it: open it again with the newer program")
        }
        current.withLock {
            if entry.sequence > $0.revision { $0 = Catalogued(stored, entry.sequence, shape) }
        }
    }

    /// Looks at the catalogue again if another program may have changed it.
    ///
    /// - Throws: As `adopt`.
    func check(_ entry: Entry?) throws(StoreError) {
        if entry?.sequence == catalogued.revision { return }
        try adopt(entry)
        throw .catalogueChanged
    }

    /// The key of a record.
    func key(_ id: Model.ID) throws(StoreError) -> [UInt8] { try ids.key(id, after: layout.recordPrefix) }
}

extension StoreError {
    /// Thrown inside the layer: what was read before doesn't count, and is read again.
    static let catalogueChanged = StoreError(.conflict, "another program has changed the catalogue: try again")

    static func noCatalogueEntry(_ name: String) -> StoreError {
        StoreError(
            .notFound, "the store has no repository named \"\(name)\": open it for writing once, or correct the name")
    }
}
