internal import HeartwoodConcurrency

/// What the repositories of one name on one store object share: the base, and what depends on the type of the records.
final class RepositoryCore<Model: Codable & Identifiable & Sendable>: Sendable
where Model.ID: Codable & SendableMetatype {
    let base: RepositoryBase
    let definition: RepositoryDefinition<Model>
    let coding: RecordCoding<Model>
    /// What queries were planned with last, and the revision of the catalogue.
    let queryLayout = Locked<(revision: SequenceNumber, layout: QueryLayout)?>(nil)
    private let indexers: [Indexer]
    /// The array is of a generic type, so that asking it takes longer.
    private let hasIndexers: Bool
    let roundTrip: RoundTrip

    /// The keys of a model in one index.
    private struct Indexer: Sendable {
        let isUnique: Bool
        let keys: @Sendable (Model) -> [[UInt8]]
    }

    init(
        _ store: any ReadableKeyValueStore, _ definition: RepositoryDefinition<Model>, _ shape: RepositoryShape,
        _ coding: RecordCoding<Model>, _ entry: CatalogueEntry, _ revision: SequenceNumber
    ) {
        base = RepositoryBase(store, shape, entry, revision)
        (self.definition, self.coding) = (definition, coding)
        indexers = definition.indexes.map { Indexer(isUnique: $0.isUnique, keys: $0.keys) }
        hasIndexers = !indexers.isEmpty
        let types = definition.indexes.flatMap { $0.components.map(\.type) } + [Model.ID.self]
        roundTrip = RoundTrip(isCertain: types.allSatisfy { ElementKind.isKept($0, by: definition.coder) })
    }

    /// The key of a record.
    func key(_ id: Model.ID) throws(StoreError) -> [UInt8] { try coding.key(id, after: base.layout.recordPrefix) }

    /// Encodes a model, with its keys in the indexes: those of its stored form, so that a query finds what it reads.
    ///
    /// - Parameter omitted: The numbers of indexes in which it gets no keys.
    /// - Throws: `.invalidArgument` if the coder can't encode it, or not so that it has its id when it is decoded.
    func prepare(
        _ model: Model, _ catalogued: Catalogued, omitting omitted: Set<Int> = []
    ) throws(StoreError) -> PreparedRecord {
        let key = try self.key(model.id)
        if key.count > base.keyLimit {
            throw .oversized(OversizedKey(repository: base.name, bytes: key.count, limit: base.keyLimit))
        }
        let payload = try coding.encode(model, id: base.layout.id(ofRecord: key))
        // Two calls: a copy of a model, whose type isn't known here, costs more.
        var groups: [RecordEnvelope.Group] = []
        if roundTrip.isDue {
            groups = try self.groups(of: try storedForm(of: model, payload, key), catalogued, omitting: omitted)
        } else if hasIndexers {
            groups = try self.groups(of: model, catalogued, omitting: omitted)
        }
        return PreparedRecord(
            key: key, payload: payload, envelope: RecordEnvelope(version: definition.version, groups: groups))
    }

    /// Decodes what was encoded, as a read does.
    private func storedForm(of model: Model, _ payload: [UInt8], _ key: [UInt8]) throws(StoreError) -> Model {
        let stored = try coding.storedForm(of: payload, id: base.layout.id(ofRecord: key))
        if indexers.contains(where: { $0.keys(stored) != $0.keys(model) }) { roundTrip.requireAlways() }
        return stored
    }

    /// The encoded id of a model if it isn't the one of this record's key; nil if it is.
    func otherID(of model: Model, _ key: [UInt8]) -> [UInt8]? {
        coding.otherID(of: model, than: base.layout.id(ofRecord: key))
    }

    private func groups(
        of model: Model, _ catalogued: Catalogued, omitting omitted: Set<Int>
    ) throws(StoreError) -> [RecordEnvelope.Group] {
        var groups: [RecordEnvelope.Group] = []
        groups.reserveCapacity(catalogued.numbers.count)
        for (position, number) in catalogued.numbers.enumerated() {
            guard let number, !omitted.contains(number) else { continue }
            let indexer = indexers[position]
            let values = indexer.keys(model)
            for value in values where value.count > 256 && TupleDecoder.isTooDeep(value) {
                throw .tooDeep("a value of the index \"\(definition.indexes[position].name)\"", in: base.name)
            }
            groups.append(RecordEnvelope.Group(index: number, isUnique: indexer.isUnique, values: values))
        }
        return groups
    }

    /// Writes models when the transaction commits. Of several with one id, the last counts.
    nonisolated(nonsending) func write(
        _ models: [Model], _ expires: NewExpiry, _ expected: Expected, _ transaction: Transaction,
        omitting omitted: Set<Int> = []
    ) async throws(StoreError) {
        let catalogued = try await base.begin(transaction)
        var records: [PreparedRecord] = []
        records.reserveCapacity(models.count)
        for model in models { records.append(try prepare(model, catalogued, omitting: omitted)) }
        try await base.write(records, catalogued, expires, expected, transaction)
    }
}
