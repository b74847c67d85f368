/// The records of one model in a store: saved and found by id, by indexes and by queries.
///
/// ```swift
/// struct City: Codable, Identifiable, Sendable {
///     var id: Int
///     var name: String
///     var country: String
///     var population: Int
/// }
///
/// let store = try await Store.open(at: "app.store")
/// let cities = try await store.repository(
///     of: City.self, named: "cities", indexes: [Index("country", \.country, \.population)])
/// try await cities.save(City(id: 1, name: "Reykjavík", country: "IS", population: 118_918))
/// let largest = try await cities.fetch(
///     where: \.country == "IS", sort: [.descending(\.population)], limit: 10)
/// ```
///
/// A save is one atomic write of the record and its index entries, and as durable as asked. Several repositories can be
/// in one store, and be changed in one transaction: see ``save(_:expires:in:)-(Model,_,_)``. All calls run on the
/// caller's actor, and none blocks a thread of the cooperative pool.
///
/// Copies share everything. Opened twice in a process on one store object, a repository must have the same definition.
public struct Repository<Model: Codable & Identifiable & Sendable>: ReadableRepository
where Model.ID: Codable & SendableMetatype {
    /// The store that it writes to.
    package let store: any KeyValueStore
    let core: RepositoryCore<Model>

    /// The name that identifies it in its store.
    public var name: String { core.definition.name }
    /// Whether the order of the records, without a sort, is that of their ids. If not, ids are found but not ordered:
    /// queries that compare ids other than by equality look at every record.
    public var hasOrderedIDs: Bool { core.coding.ids.isOrdered }

    /// The same records, only to be read.
    public var readOnly: ReadOnlyRepository<Model> { ReadOnlyRepository(core: core) }
}

/// The records of one model, only to be read: in a store that is only read, such as a `ReadOnlyStore`, or of a
/// ``Repository``.
public struct ReadOnlyRepository<Model: Codable & Identifiable & Sendable>: ReadableRepository
where Model.ID: Codable & SendableMetatype {
    let core: RepositoryCore<Model>

    /// This one.
    public var readOnly: ReadOnlyRepository<Model> { self }
}

/// What can be read of a repository: ``Repository`` and ``ReadOnlyRepository``.
public protocol ReadableRepository<Model>: Sendable {
    /// The type of its records.
    associatedtype Model: Codable & Identifiable & Sendable where Model.ID: Codable & SendableMetatype
    /// The same records, only to be read.
    var readOnly: ReadOnlyRepository<Model> { get }
}

extension KeyValueStore {
    /// Opens a repository, and creates it if there is none.
    ///
    /// ```swift
    /// let users = try await store.repository(of: User.self, named: "users", indexes: [.unique("email", \.email)])
    /// ```
    ///
    /// If indexes are new or changed, or records have an older version, maintenance builds and migrates them; see
    /// `Repository.maintain(_:)`. Until it is done, queries don't use these indexes, and records are migrated as they
    /// are read.
    ///
    /// Inside the body of a transaction it opens the repository at once, and not as a part of the transaction.
    ///
    /// - Parameters:
    ///   - model: The type of its records.
    ///   - name: Identifies it in the store.
    ///   - version: The version of the model: 1, and one more whenever its stored form changes incompatibly.
    ///   - indexes: Its indexes.
    ///   - migrations: How records of older versions become current ones.
    ///   - coder: How models become bytes.
    ///   - maintenance: Whether this call waits for maintenance.
    /// - Throws: `.newerModel` if a newer version of the program has opened it; `.invalidArgument` for a definition
    ///   that can't be, differs from that of another open one, or gives records other ids; `.uniqueViolation` if
    ///   waiting for an index found two records with one value; what reading and writing throw.
    /// - Complexity: O(1), and O(records) if it waits for maintenance that has something to do.
    public nonisolated(nonsending) func repository<Model: Codable & Identifiable & Sendable>(
        of model: Model.Type, named name: String, version: Int = 1, indexes: [Index<Model>] = [],
        migrations: [Migration] = [], coder: any ModelCoder = .json, maintenance: MaintenanceMode = .wait
    ) async throws(StoreError) -> Repository<Model> where Model.ID: Codable & SendableMetatype {
        try await repository(
            RepositoryDefinition(name, version: version, indexes: indexes, migrations: migrations, coder: coder),
            maintenance: maintenance)
    }

    /// Opens a repository by its definition.
    ///
    /// - Throws: As ``repository(of:named:version:indexes:migrations:coder:maintenance:)``; `.unknownIndex`.
    public nonisolated(nonsending) func repository<Model: Codable & Identifiable & Sendable>(
        _ definition: RepositoryDefinition<Model>, maintenance: MaintenanceMode = .wait
    ) async throws(StoreError) -> Repository<Model> where Model.ID: Codable & SendableMetatype {
        try await TransactionScope.outside { () async throws(StoreError) in
            let core = try await RepositoryRegistry.shared.core(definition, in: self)
            let repository = Repository(store: self, core: core)
            guard core.base.catalogued.entry.needsMaintenance else { return repository }
            switch maintenance {
            case .wait: try await repository.maintain().requireReady()
            case .background: Task { try? await repository.maintain() }
            case .manual: break
            }
            return repository
        }
    }
}

extension ReadableKeyValueStore {
    /// Opens a repository for reading only.
    ///
    /// - Throws: `.notFound` if the store has no repository of this name; `.newerModel`, `.invalidArgument`; what
    ///   reading throws.
    /// - Complexity: O(1).
    public nonisolated(nonsending) func readOnlyRepository<Model: Codable & Identifiable & Sendable>(
        _ definition: RepositoryDefinition<Model>
    ) async throws(StoreError) -> ReadOnlyRepository<Model> where Model.ID: Codable & SendableMetatype {
        ReadOnlyRepository(core: try await RepositoryCore.open(definition, reading: self))
    }
}
