#if Service
public import HeartwoodRepository
public import KeyValueStore
internal import Tracing

/// A repository whose calls are spans. It has the calls of `Repository` that take one round to the store; use ``base``
/// for the others, such as those in a transaction, whose span is that of
/// ``KeyValueStore/KeyValueStore/transaction(tracedBy:durability:_:)``.
///
/// ```swift
/// let cities = try await store.repository(City.repository).traced(by: InstrumentationSystem.tracer)
/// try await cities.save(city)  // a span "save cities"
/// let largest = try await cities.fetch(Query(where: \.country == "IS", limit: 10))
/// ```
///
/// Every call runs on the caller's actor and throws what its namesake throws; the span notes the error.
public struct TracedRepository<Model: Codable & Identifiable & Sendable>: Sendable
where Model.ID: Codable & SendableMetatype {
    /// The repository without spans.
    public let base: Repository<Model>
    private let tracing: StoreTracing

    init(base: Repository<Model>, tracer: any Tracer) {
        self.base = base
        tracing = StoreTracing(tracer, collection: base.name)
    }

    private nonisolated(nonsending) func span<R>(
        _ operation: String, _ body: nonisolated(nonsending) () async throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        try await tracing.span(operation) { (_) async throws(StoreError) in try await body() }
    }
}

extension TracedRepository {
    /// Saves a model.
    @discardableResult
    public nonisolated(nonsending) func save(
        _ model: Model, expires: Expiry = .never, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        try await span("save") { () async throws(StoreError) in
            try await base.save(model, expires: expires, durability: durability)
        }
    }

    /// Saves many models, all or nothing.
    @discardableResult
    public nonisolated(nonsending) func save(
        _ models: [Model], expires: Expiry = .never, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        try await span("save") { () async throws(StoreError) in
            try await base.save(models, expires: expires, durability: durability)
        }
    }

    /// Saves a model only if there is no record with its id.
    @discardableResult
    public nonisolated(nonsending) func insert(
        _ model: Model, expires: Expiry = .never, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        try await span("insert") { () async throws(StoreError) in
            try await base.insert(model, expires: expires, durability: durability)
        }
    }

    /// Saves many models, all or nothing, only if there is no record with any of their ids.
    @discardableResult
    public nonisolated(nonsending) func insert(
        _ models: [Model], expires: Expiry = .never, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        try await span("insert") { () async throws(StoreError) in
            try await base.insert(models, expires: expires, durability: durability)
        }
    }

    /// Reads a record, changes it and saves it, as one atomic step.
    @discardableResult
    public nonisolated(nonsending) func update<R>(
        _ id: Model.ID, expires: Expiry? = nil, durability: Durability? = nil, _ body: (inout Model) throws -> R
    ) async throws -> R? {
        try await tracing.span("update") { (_) async throws in
            try await base.update(id, expires: expires, durability: durability, body)
        }
    }

    /// Deletes the record with an id, if there is one.
    public nonisolated(nonsending) func delete(
        _ id: Model.ID, durability: Durability? = nil
    ) async throws(StoreError) {
        try await span("delete") { () async throws(StoreError) in
            try await base.delete(id, durability: durability)
        }
    }

    /// The model with an id; nil if there is none.
    public nonisolated(nonsending) func find(by id: Model.ID) async throws(StoreError) -> Model? {
        try await span("find") { () async throws(StoreError) in try await base.find(by: id) }
    }

    /// The models with these ids, in the order of the ids; nil where there is none.
    public nonisolated(nonsending) func find(by ids: [Model.ID]) async throws(StoreError) -> [Model?] {
        try await span("find") { () async throws(StoreError) in try await base.find(by: ids) }
    }

    /// The results of a query.
    public nonisolated(nonsending) func fetch(_ query: Query<Model>) async throws(StoreError) -> [Model] {
        try await span("fetch") { () async throws(StoreError) in try await base.fetch(query) }
    }

    /// The number of results of a query.
    public nonisolated(nonsending) func count(_ query: Query<Model>) async throws(StoreError) -> Int {
        try await span("count") { () async throws(StoreError) in try await base.count(query) }
    }
}
#endif
