public import Foundation
internal import Heartwood
internal import HeartwoodConcurrency
package import HeartwoodFileSystem
public import HeartwoodRepository
public import Logging

/// Items of one type, kept durably under one name: takes the place of an actor that keeps them in a JSON file, at its
/// call sites without a changed line.
///
/// ```swift
/// struct Item: Codable, Identifiable {
///     var id: String
///     var title: String
/// }
///
/// let repository = LocalRepository<Item>(filename: "items.json")
/// try await repository.save(Item(id: "1", title: "Buy milk"))
/// let items = await repository.loadAll()
/// ```
///
/// Items are in a store in the directory `items.json.heartwood`, as a `Repository` named `items` keeps them. Every save
/// is durable when it returns, and costs what the item costs, not what all items cost. All items are also in memory,
/// encoded: reads don't touch the disk. If there is a JSON file, the first opening imports it, and renames it to
/// `items.json.imported` once the store has all of it.
///
/// What can't be opened or read is never taken for empty without notice: ``problems`` has it, the logger gets it, and
/// the next save or delete throws it. Documentation/LocalRepository.md says how to continue then.
///
/// In one process, all repositories of one type and path share the store and what is in memory. Another process, or a
/// repository of another type, can't open the same path meanwhile.
///
/// An item need not be `Sendable`: only its bytes are kept. If it is, decoded items are kept, too, so that
/// `loadAll` decodes only what has changed since it was called last. In a module whose default isolation is
/// `MainActor`, write `nonisolated struct` for the item.
public actor LocalRepository<T: Codable & Identifiable>: LocalItems where T.ID: Hashable & Codable {
    nonisolated let core: LocalCore
    nonisolated let coding: RecordCoding<T>
    private nonisolated let logger: Logger
    /// The loading whose undecodable records a write has thrown.
    private nonisolated let thrownLoad = Locked(0)
    /// Used only if the items are `Sendable`.
    var cache = LocalCache<T>()

    /// Opens a repository, and creates it if there is none. Blocks until it is open.
    ///
    /// It doesn't throw. If opening fails, the repository reads as empty, ``problems`` and the logger have the error,
    /// and each save or delete tries to open it again and throws what prevents it.
    ///
    /// - Parameters:
    ///   - directory: The directory of the store and of the JSON file; created if it is missing. By default the
    ///     documents directory of the user.
    ///   - filename: The name of the JSON file. The store's directory has the same name and `.heartwood`.
    ///   - version: The version of the item's type: 1, and one more whenever its stored form changes incompatibly.
    ///   - migrations: How items of older versions become current ones. They are migrated when they are read, and stay
    ///     as they are in the store until they are saved. Items of a JSON file have version 1.
    ///   - logger: Gets what can't be thrown.
    /// - Complexity: O(items): each is read and decoded once.
    public init(
        directory: URL = .documentsDirectory, filename: String = "data.json", version: Int = 1,
        migrations: [Migration] = [], logger: Logger = Logger(label: "HeartwoodLocal")
    ) {
        self.init(
            in: directory, filename, version: version, migrations, logger: logger, fileSystem: POSIXFileSystem())
        _ = try? core.open(logger, isFirst: true)
    }

    /// Opens a repository as ``init(directory:filename:version:migrations:logger:)``, and throws what prevents it.
    /// Blocks until it is open.
    ///
    /// Records that don't decode don't prevent it: see ``problems``.
    ///
    /// - Throws: What opening a store throws, such as `.locked`, `.permission` and `.corruption`; `.importFailed`;
    ///   `.newerModel` if a newer version of the program has opened it; `.invalidArgument` for a file name, a version
    ///   or migrations that can't be.
    /// - Complexity: O(items).
    public init(
        opening directory: URL, filename: String = "data.json", version: Int = 1, migrations: [Migration] = [],
        logger: Logger = Logger(label: "HeartwoodLocal")
    ) throws(StoreError) {
        try self.init(
            opening: directory, filename, version: version, migrations, logger: logger, fileSystem: POSIXFileSystem())
    }

    /// As ``init(opening:filename:version:migrations:logger:)``, on another file system.
    package init(
        opening directory: URL, _ filename: String, version: Int = 1, _ migrations: [Migration] = [],
        logger: Logger = Logger(label: "HeartwoodLocal"), fileSystem: any FileSystem, importBatchBytes: Int = 1 << 20
    ) throws(StoreError) {
        self.init(
            in: directory, filename, version: version, migrations, logger: logger, fileSystem: fileSystem,
            importBatchBytes: importBatchBytes)
        try core.open(logger, isFirst: true)
    }

    /// A repository that isn't open yet.
    package init(
        in directory: URL, _ filename: String, version: Int = 1, _ migrations: [Migration] = [],
        logger: Logger = Logger(label: "HeartwoodLocal"), fileSystem: any FileSystem, importBatchBytes: Int = 1 << 20
    ) {
        let place = LocalPlace(directory, filename, fileSystem)
        var refusal = place.refusal
        var path = MigrationPath.none
        do throws(StoreError) {
            path = try MigrationPath(to: version, migrations)
        } catch {
            refusal = refusal ?? error
        }
        let coding = RecordCoding<T>(localRepositoryName, .json, path)
        let opening = LocalOpening(
            place: place, model: coding, refusal: refusal, fileSystem: fileSystem, importBatchBytes: importBatchBytes)
        let name = LocalCore.Name(place: place, type: ObjectIdentifier(T.self), version: version)
        core = LocalRegistry.core(LocalCore(name, opening))
        (self.coding, self.logger) = (coding, logger)
    }

    deinit { LocalRegistry.release(core) }

    /// This one.
    public nonisolated var repository: LocalRepository<T> { self }

    /// Saves an item, and replaces the one with its id. It is on the disk when this returns. A cancelled task saves,
    /// too.
    ///
    /// The item is encoded on the caller's actor, and isn't kept.
    ///
    /// - Throws: `StoreError`: what writing throws, such as `.outOfSpace`; `.invalidArgument` if the item can't be
    ///   encoded; what prevents opening, if the repository isn't open. The first save or delete after an opening that
    ///   has found records that don't decode throws `.undecodable`, unless it replaces or deletes such a record. In all
    ///   these cases nothing changes, neither on the disk nor in memory. Only after `.outcomeUnknown` the disk may have
    ///   the item; the next save opens the store again, and then memory has what the disk has.
    /// - Complexity: One durable write of the item.
    public nonisolated(nonsending) func save(_ item: T) async throws { try await saveAll([item]) }

    /// Saves items, all or nothing, in one durable write. Of several with one id, the last counts.
    ///
    /// - Throws: As ``save(_:)``; `.tooLarge` for more than about 2 GiB.
    /// - Complexity: O(bytes of the items); one durable write.
    public nonisolated(nonsending) func saveAll(_ items: [T]) async throws(StoreError) {
        var changes: [LocalChange] = []
        changes.reserveCapacity(items.count)
        for item in items {
            let id = try coding.key(item.id)
            let payload = try coding.encode(item, id: id)
            // That costs little beside the sync of each save.
            _ = try coding.storedForm(of: payload, id: id)
            changes.append(LocalChange(id: id, payload: payload))
        }
        // Of several with one id, the last counts.
        let last = Dictionary(changes.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        if !changes.isEmpty { try await write(Array(last.values)) }
    }

    /// Deletes the item with an id, if there is one, also if it doesn't decode. Durable when this returns.
    ///
    /// - Throws: As ``save(_:)``.
    /// - Complexity: One durable write.
    public nonisolated(nonsending) func delete(_ id: T.ID) async throws {
        try await write([LocalChange(id: try coding.key(id), payload: nil)])
    }

    private nonisolated(nonsending) func write(_ changes: [LocalChange]) async throws(StoreError) {
        try throwUndecodable(except: changes)
        try await core.write(changes, logger)
    }

    /// Throws records that don't decode once after each loading.
    private nonisolated func throwUndecodable(except changes: [LocalChange]) throws(StoreError) {
        let image = core.contents
        guard let first = image.undecodable.values.first, thrownLoad.withLock({ $0 < image.loads }),
            !changes.contains(where: { image.undecodable[$0.id] != nil })
        else { return }
        thrownLoad.withLock { $0 = image.loads }
        var error = first
        if image.undecodable.count > 1 {
            error.message = "\(image.undecodable.count) records don't decode; one of them: " + error.message
        }
        error.message += "; nothing was written by this call, and the next one writes again"
        throw error
    }

    /// The number of items that ``loadAll()`` returns. O(1).
    public nonisolated var count: Int { core.count }

    /// Everything that is wrong; empty if nothing is.
    ///
    /// - What prevented the last opening. It is gone when a save or delete has opened the repository.
    /// - An error for each record that doesn't decode, until it is deleted by its id or replaced.
    /// - `.fileIgnored` for a JSON file beside the store that wasn't imported, or can't be renamed.
    public nonisolated var problems: [StoreError] { core.contents.problems }

    /// Closes the store, for all repositories of this path and type, and releases its lock. What is in memory can still
    /// be read, and the next save or delete opens the store again.
    ///
    /// Nothing is lost without it. Call it before another process or a `Repository` opens the store. Without it, the
    /// store is closed some time after the last of its repositories is released.
    ///
    /// - Throws: What closing a store throws. It is closed in every case.
    public nonisolated(nonsending) func close() async throws(StoreError) {
        let core = core
        try await BlockingPool.run { () throws(StoreError) in try core.close() }
    }
}

extension LocalRepository {
    /// The store, if it is open.
    package nonisolated var store: (any KeyValueStore)? { core.contents.store }

    /// Decodes what has been decoded or encoded before.
    nonisolated func decoded(_ record: LocalRecord) -> sending T? {
        do throws(StoreError) {
            return try coding.decode(record.version, record.payload.span.bytes, id: record.id)
        } catch {
            logger.error("an item that could be saved or loaded doesn't decode now: \(error)")
            return nil
        }
    }
}
