internal import HeartwoodConcurrency

/// What a repository is apart from the type of its records: where they are, and what the catalogue says. Not generic,
/// so that it is compiled once: code that is generic over the model looks types up at run time.
///
/// There is one for all repositories of one name on one store object, so that every write of this process maintains the
/// same indexes. Programs that don't share the store object change the catalogue; where there are such, each write has
/// the catalogue's revision as a condition, and each query looks at it in the same view as at the index.
final class RepositoryBase: Sendable {
    let store: any ReadableKeyValueStore
    let lender: any LendingReader
    let shape: RepositoryShape
    let layout: KeyLayout
    let catalogueKey: [UInt8]
    let hasOtherWriters: Bool
    /// Bytes of a key at most.
    let keyLimit: Int
    private let current: Locked<Catalogued>

    init(
        _ store: any ReadableKeyValueStore, _ shape: RepositoryShape, _ entry: CatalogueEntry,
        _ revision: SequenceNumber
    ) {
        (self.store, self.shape, layout) = (store, shape, entry.layout)
        lender = store as? any LendingReader ?? CopyLender(store)
        catalogueKey = KeyLayout.catalogueKey(shape.name)
        (hasOtherWriters, keyLimit) = (store.limits.hasOtherWriters, store.limits.keyBytes)
        current = Locked(Catalogued(entry, revision, shape))
    }

    var name: String { shape.name }

    var catalogued: Catalogued { current.withLock { $0 } }

    /// Takes over a newer entry of the catalogue.
    ///
    /// - Throws: `.newerModel`; `.notFound` if the entry is gone.
    func adopt(_ entry: Entry?) throws(StoreError) {
        guard let entry else { throw .noCatalogueEntry(name) }
        let stored = try CatalogueEntry(bytes: entry.value)
        guard stored.version <= shape.version, stored.number == layout.number else {
            throw StoreError(
                .newerModel,
                "the repository \"\(name)\" was opened by a program with version \(stored.version) of its model, or "
                    + "made "
                    + "again, while this one used it: open it again with the newer program")
        }
        current.withLock {
            if entry.sequence > $0.revision { $0 = Catalogued(stored, entry.sequence, shape) }
        }
    }

    /// - Throws: `.invalidArgument` for a transaction of another store.
    func check(_ transaction: Transaction) throws(StoreError) {
        if transaction.store === store { return }
        throw StoreError(
            .invalidArgument, "the transaction is of another store than the repository \"\(name)\": use one of its own")
    }

    /// The catalogue for a call that writes in a transaction. Where other programs write, it is a condition of the
    /// commit.
    nonisolated(nonsending) func begin(
        _ transaction: Transaction
    ) async throws(StoreError) -> Catalogued {
        try check(transaction)
        try transaction.checkOpen()
        guard hasOtherWriters else { return catalogued }
        let catalogued = try await catalogue(transaction)
        guard catalogued.hasUnknown, transaction.write(of: catalogueKey) == nil else { return catalogued }
        // What this write leaves out must not be used any longer once it is written.
        try transaction.put(catalogueKey, try catalogued.entry.disowning(shape).bytes)
        return catalogued
    }

    /// The catalogue for a query in a transaction: not newer than what the transaction sees.
    nonisolated(nonsending) func beginQuery(
        _ transaction: Transaction
    ) async throws(StoreError) -> Catalogued {
        try check(transaction)
        try transaction.checkOpen()
        if hasOtherWriters { return try await catalogue(transaction) }
        let catalogued = catalogued
        // The entries of an index that has become ready may be newer than the view.
        if catalogued.revision > transaction.view.position.sequence { throw transaction.startAgain() }
        return catalogued
    }

    /// The same where other programs write.
    private nonisolated(nonsending) func catalogue(
        _ transaction: Transaction
    ) async throws(StoreError) -> Catalogued {
        var known = catalogued
        let notes = notes(transaction)
        if let noted = notes.catalogued { return noted }
        if transaction.attempt == 0 {
            transaction.assume(catalogueKey, known.revision)
        } else {
            let entry = try await transaction.fetchEntry(catalogueKey)
            if entry?.sequence != known.revision { try adopt(entry) }
            known = catalogued
            // Another task knows a newer one than this transaction's view has.
            if entry?.sequence != known.revision { throw transaction.startAgain() }
        }
        notes.catalogued = known
        return known
    }

    /// How many records one batch of maintenance changes at most.
    var pageSize: Int {
        let limits = store.limits
        let operations = min(limits.operations, limits.conditions) / (2 * shape.indexes.count + 2)
        return max(1, min(256, operations - 1))
    }

    /// Calls `body` with all the keys; with parts of them where that is too much for one batch.
    nonisolated(nonsending) func inPieces(
        _ keys: ArraySlice<[UInt8]>, _ body: (ArraySlice<[UInt8]>) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        if keys.isEmpty { return }
        do throws(StoreError) {
            try await body(keys)
        } catch {
            guard error.code == .tooLarge, keys.count > 1 else { throw error }
            let middle = keys.startIndex + keys.count / 2
            try await inPieces(keys[..<middle], body)
            try await inPieces(keys[middle...], body)
        }
    }
}

/// Lends copies, for an engine that lends nothing.
private final class CopyLender: LendingReader {
    private let store: any ReadableKeyValueStore

    init(_ store: any ReadableKeyValueStore) { self.store = store }

    nonisolated(nonsending) func lendEntry(
        _ key: [UInt8], to body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) -> Void
    ) async throws(StoreError) -> Bool {
        guard let entry = try await store.fetchEntry(key) else { return false }
        body(entry.value.span.bytes, entry.sequence, entry.expires)
        return true
    }
}

/// An entry of the catalogue, and what of it concerns a definition. A class: a call takes it with one reference.
final class Catalogued: Sendable {
    let entry: CatalogueEntry
    let revision: SequenceNumber
    /// The number of each index of the definition that is maintained; nil for one that the catalogue lost.
    let numbers: [Int?]
    /// Whether records may have entries that a write has to remove.
    let hasEntries: Bool
    /// Whether queries of other programs may use an index that this one doesn't maintain.
    let hasUnknown: Bool
    /// Whether the catalogue has the version of the model that the definition has.
    private let isCurrent: Bool

    init(_ entry: CatalogueEntry, _ revision: SequenceNumber, _ shape: RepositoryShape) {
        (self.entry, self.revision, isCurrent) = (entry, revision, entry.version == shape.version)
        numbers = shape.indexes.map { entry.active($0)?.number }
        hasEntries = entry.indexes.contains { $0.state != .dropping }
        hasUnknown = entry.indexes.contains { index in
            (index.state == .ready || index.state == .building) && !shape.indexes.contains { index.isSame(as: $0) }
        }
    }

    /// Whether the index with a number has the entries of all records. A newer version of the model may make others of
    /// the same records.
    func isReady(_ number: Int) -> Bool {
        isCurrent && entry.indexes.contains { $0.number == number && $0.state == .ready }
    }
}

extension StoreError.Code {
    fileprivate static let catalogueChanged = StoreError.Code("catalogueChanged")
}

extension StoreError {
    /// Thrown inside the layer: what was read before doesn't count, and is read again.
    static let catalogueChanged = StoreError(.catalogueChanged, "another program has changed the catalogue: try again")

    var isCatalogueChange: Bool { code == .catalogueChanged }

    static func noCatalogueEntry(_ name: String) -> StoreError {
        StoreError(
            .notFound, "the store has no repository named \"\(name)\": open it for writing once, or correct the name")
    }
}
