/// What a store has of a repository, counted without the type of its model.
public struct RepositoryFigures: Sendable, Hashable {
    /// The name that identifies it in its store.
    public var name: String
    /// The version of its model.
    public var version: Int
    /// No record has an older version. Maintenance raises it to ``version`` when all records are migrated.
    public var oldestVersion: Int
    /// The name of the coder of its records.
    public var coder: String
    /// Whether the records are in the order of their ids.
    public var hasOrderedIDs: Bool
    /// The number of records.
    public var records = 0
    /// Bytes of the keys of all records and index entries.
    public var keyBytes = 0
    /// Bytes of the values of all records and index entries, decompressed.
    public var valueBytes = 0
    /// How many records have each version of the model. Records whose head doesn't decode aren't in it.
    public var versions: [Int: Int] = [:]
    /// Its indexes, in the order in which they were made.
    public var indexes: [IndexFigures]

    init(_ entry: CatalogueEntry) {
        (name, version, oldestVersion) = (entry.name, entry.version, entry.oldestVersion)
        (coder, hasOrderedIDs) = (entry.coder, entry.hasOrderedIDs)
        indexes = entry.indexes.map(IndexFigures.init)
    }
}

/// What a store has of an index of a repository.
public struct IndexFigures: Sendable, Hashable {
    /// Whether queries use an index.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// It has the entries of all records, and queries use it.
        case ready
        /// It is being built: maintenance has to be run, or two records have one value. Every program that writes adds
        /// the entries of its records.
        case building
        /// A program that doesn't know it has written. A program that knows it completes it.
        case unmaintained
        /// It was dropped, and maintenance has to remove its entries. No record gets new ones.
        case dropping
    }

    /// Its name in its repository. A dropped index can have the name of another one.
    public var name: String
    /// Whether two records may have the same values.
    public var isUnique: Bool
    /// The revision of its definition.
    public var revision: Int
    /// A description of each indexed value.
    public var components: [String]
    /// Whether queries use it.
    public var state: State
    /// The number of its entries.
    public var entries = 0
    /// Bytes of its entries: of their keys and values.
    public var bytes = 0
    /// Part of the keys of its entries.
    let number: Int

    init(_ index: StoredIndex) {
        (name, isUnique, revision) = (index.name, index.isUnique, index.revision)
        (components, state, number) = (index.components, index.state, index.number)
    }
}
