/// Where in a store the records and indexes of a repository are. It changes only with the catalogue, so make it once.
struct QueryLayout: Sendable {
    /// The key of a record is this and the id as one element.
    let recordPrefix: [UInt8]
    let planner: QueryPlanner
    /// The keys of a record's entries in all indexes, as the record lists them.
    let entryKeys: (@Sendable (Entry) throws(StoreError) -> [[UInt8]])?

    /// - Parameters:
    ///   - indexes: The indexes that are complete, and the prefixes of their entries.
    ///   - idIsOrdered: Whether ids are encoded by their `TupleElement`, so that conditions on ids are conditions on
    ///     keys.
    init<Model>(
        recordPrefix: [UInt8], indexes: [(index: Index<Model>, entriesPrefix: [UInt8])],
        idPath: any PartialKeyPath<Model> & Sendable, idIsOrdered: Bool,
        entryKeys: (@Sendable (Entry) throws(StoreError) -> [[UInt8]])?
    ) {
        (self.recordPrefix, self.entryKeys) = (recordPrefix, entryKeys)
        planner = QueryPlanner(
            indexes: indexes.map { ReadyIndex($0.index, entriesPrefix: $0.entriesPrefix) },
            idPath: idIsOrdered ? PropertyPath(idPath) : nil)
    }

    var indexes: [ReadyIndex] { planner.indexes }
}

/// An index that has an entry for every record that it should have one for.
struct ReadyIndex: Sendable {
    struct Component: Sendable {
        let path: PropertyPath
        let isCollection: Bool
    }

    let name: String
    let isUnique: Bool
    let components: [Component]
    /// What the keys of its entries begin with.
    let entriesPrefix: [UInt8]

    init<Model>(_ index: Index<Model>, entriesPrefix: [UInt8]) {
        (name, isUnique, self.entriesPrefix) = (index.name, index.isUnique, entriesPrefix)
        components = index.components.map {
            Component(path: PropertyPath($0.path), isCollection: $0.isCollection)
        }
    }
}
