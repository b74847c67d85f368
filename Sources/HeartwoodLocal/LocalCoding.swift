internal import HeartwoodRepository

/// What opening a repository has to know of the type of its items. Not generic, and sendable although the type may not
/// be: everything below ``LocalRepository`` works with bytes.
protocol LocalModel: Sendable {
    /// Identifies the type in this process.
    var type: ObjectIdentifier { get }
    /// What the catalogue is compared with.
    var shape: RepositoryShape { get }

    /// How older records become current ones.
    ///
    /// - Throws: `.invalidArgument` for a version or migrations that can't be.
    func migrations() throws(StoreError) -> MigrationPath

    /// Decodes an item, and returns its encoded id.
    func id(of payload: RawSpan, version: Int, key: [UInt8]) throws(StoreError) -> [UInt8]

    /// Whether an encoded id is one of another type than the items'.
    func isOfOtherType(_ id: [UInt8]) -> Bool

    /// The names of the type and of the type of its ids, for messages.
    var types: (item: any Any.Type, id: any Any.Type) { get }
}

/// The name that a local repository has in its store.
let localRepositoryName = "items"

/// How the items of a type become bytes and back: as `Repository` does it, with JSON.
struct LocalCoding<T: Codable & Identifiable>: LocalModel where T.ID: Codable {
    private let ids: any IDCoding<T.ID> & Sendable = idCoding(of: T.ID.self)
    private let path: Result<MigrationPath, StoreError>
    private let coder = JSONCoder()
    let shape: RepositoryShape

    init(version: Int, migrations: [Migration]) {
        do throws(StoreError) {
            path = .success(try MigrationPath(to: version, migrations))
        } catch {
            path = .failure(error)
        }
        shape = RepositoryShape(
            name: localRepositoryName, version: version, coder: coder.name, hasOrderedIDs: ids.isOrdered, indexes: [],
            removesUnknown: true, refusesUnknown: false)
    }

    var type: ObjectIdentifier { ObjectIdentifier(T.self) }

    var types: (item: any Any.Type, id: any Any.Type) { (T.self, T.ID.self) }

    func isOfOtherType(_ id: [UInt8]) -> Bool { ids.isOfOtherType(id) }

    func migrations() throws(StoreError) -> MigrationPath { try path.get() }

    /// The encoded form of an id.
    func key(_ id: T.ID) throws(StoreError) -> [UInt8] { try ids.key(id) }

    /// The encoded id and the payload of an item.
    ///
    /// - Throws: `.invalidArgument` if it can't be encoded, or not so that it has its id when it is decoded. That costs
    ///   little beside the sync of each save.
    func encode(_ item: T) throws(StoreError) -> LocalChange {
        let id = try key(item.id)
        let payload: [UInt8]
        let stored: T
        do {
            payload = try coder.encode(item)
            stored = try coder.decode(T.self, from: payload.span.bytes)
        } catch {
            throw StoreError(
                .invalidArgument,
                "the item \(TupleValue.one(in: id)) can't be encoded as JSON and decoded again: see the cause",
                cause: error)
        }
        let other = try key(stored.id)
        if other != id { throw .wouldLoseID(id, storedAs: other, in: shape.name) }
        return LocalChange(id: id, payload: payload)
    }

    /// Decodes an item, and migrates it in memory if it has an older version.
    ///
    /// - Parameter key: Its encoded id, for messages.
    /// - Throws: `.undecodable`, `.newerModel`.
    func decode(_ payload: RawSpan, version: Int, key: [UInt8]) throws(StoreError) -> T {
        let migrations = try path.get()
        if version > shape.version {
            throw .newerRecord(key, of: shape.name, version, program: shape.version)
        }
        do {
            if version == shape.version { return try coder.decode(T.self, from: payload) }
            return try migrations.migrated(T.self, payload, from: version, of: shape.name, coder)
        } catch let error as StoreError {
            throw error
        } catch {
            throw .undecodable(key, of: shape.name, as: T.self, error)
        }
    }

    func id(of payload: RawSpan, version: Int, key: [UInt8]) throws(StoreError) -> [UInt8] {
        try self.key(decode(payload, version: version, key: key).id)
    }
}
