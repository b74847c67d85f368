/// What a store has of a repository, counted without the type of its model.
@dynamicMemberLookup
package struct RepositoryFigures: Sendable, Hashable {
    /// What the catalogue says of it.
    package let entry: CatalogueEntry
    /// The number of records.
    package var records = 0
    /// Bytes of the keys of all records and index entries.
    package var keyBytes = 0
    /// Bytes of the values of all records and index entries, decompressed.
    package var valueBytes = 0
    /// How many records have each version of the model. Records whose head doesn't decode aren't in it.
    package var versions: [Int: Int] = [:]
    /// Its indexes, in the order in which they were made.
    package var indexes: [IndexFigures]

    init(_ entry: CatalogueEntry) {
        self.entry = entry
        indexes = entry.indexes.map { IndexFigures(index: $0) }
    }

    package subscript<Value>(dynamicMember path: KeyPath<CatalogueEntry, Value>) -> Value { entry[keyPath: path] }
}

/// What a store has of an index of a repository.
@dynamicMemberLookup
package struct IndexFigures: Sendable, Hashable {
    /// What the catalogue says of it. A dropped index can have the name of another one.
    package let index: StoredIndex
    /// The number of its entries.
    package var entries = 0
    /// Bytes of its entries: of their keys and values.
    package var bytes = 0

    package subscript<Value>(dynamicMember path: KeyPath<StoredIndex, Value>) -> Value { index[keyPath: path] }
}
