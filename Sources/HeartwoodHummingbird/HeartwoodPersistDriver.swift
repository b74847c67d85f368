// The package trait "Hummingbird" enables this code. Without it the module is empty, and Hummingbird is not fetched.
#if Hummingbird
public import HeartwoodRepository
public import Hummingbird
public import KeyValueStore

/// Hummingbird's key-value storage (sessions, counters, tokens) on a store: what it holds survives a restart.
///
/// ```swift
/// let store = try await Store.open(at: "app.store")
/// let persist = HeartwoodPersistDriver(store)
/// try await persist.create(key: "session/1", value: "user 7", expires: .seconds(3600))
/// let application = Application(router: router, services: [persist])
/// try await application.runService()
/// try await store.close()
/// ```
///
/// It behaves as Hummingbird's own drivers, with these differences from `MemoryPersistDriver`:
///
/// - An expired value is absent for every call. ``create(key:value:expires:)`` succeeds as soon as it has expired.
/// - Keys are compared as UTF-8 bytes, so two spellings of one text are two keys.
/// - A value is decoded as the type that is asked for. A value of another type is read if its encoding fits.
///
/// Writes of several tasks to one key are atomic: of concurrent calls that create it, one succeeds. Each write is as
/// durable as ``init(_:prefix:coder:durability:)`` says. Expired values need no tidying; the store's compaction removes
/// them. Copies share the store.
///
/// The driver doesn't own the store: it neither opens nor closes it. In a `ServiceGroup`, close the store after this
/// service.
///
/// All calls run on the caller's actor and block no thread of the cooperative pool. All throw `StoreError`, as the
/// store does: `.invalidArgument` for a key that is too long, `.outOfSpace`, `.closed` and others.
public struct HeartwoodPersistDriver: PersistDriver {
    private let store: any KeyValueStore
    private let prefix: [UInt8]
    private let coder: any ModelCoder
    private let durability: Durability?

    /// Creates a driver.
    ///
    /// - Parameters:
    ///   - store: Where the values are. Other code may use it, too, with keys that don't begin with `prefix`.
    ///   - prefix: What the keys in the store begin with. The rest is the driver's key in UTF-8.
    ///   - coder: Turns values into bytes and back.
    ///   - durability: What a write has to survive when it returns; nil is the store's default.
    public init(
        _ store: any KeyValueStore, prefix: some ByteSource = "persist/", coder: some ModelCoder = .json,
        durability: Durability? = nil
    ) {
        (self.store, self.prefix, self.coder, self.durability) = (store, prefix.byteArray, coder, durability)
    }

    /// Does nothing: the driver doesn't own the store. `run()` calls it after graceful shutdown.
    public func shutdown() async throws {}

    /// Stores a value under a new key.
    ///
    /// - Parameters:
    ///   - key: Must be absent. A key whose value has expired is absent.
    ///   - value: The value.
    ///   - expires: How long it exists; nil for ever.
    /// - Throws: `PersistError.duplicate` if the key exists; what the coder and the store throw.
    /// - Complexity: One write.
    public nonisolated(nonsending) func create<Object: Codable & Sendable>(
        key: String, value: Object, expires: Duration?
    ) async throws {
        let key = storedKey(key)
        do {
            try await put(key, try coder.encode(value), Expiry(after: expires), if: .absent(key))
        } catch let error as StoreError where error.code == .conflict {
            throw PersistError.duplicate
        }
    }

    /// Stores a value, also over another one.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - value: The value.
    ///   - expires: How long it exists from now on. If nil, it expires when the value that it replaces would have, or
    ///     never if there is none: so `PersistDriver` asks of its drivers, and Hummingbird's own do it. To keep a value
    ///     for ever that had an expiry, remove the key first.
    /// - Throws: What the coder and the store throw; `.cancelled` if the task is cancelled before the write.
    /// - Complexity: One write; with nil also one read, and both again if another write comes between them.
    public nonisolated(nonsending) func set<Object: Codable & Sendable>(
        key: String, value: Object, expires: Duration?
    ) async throws {
        let key = storedKey(key)
        let value = try coder.encode(value)
        if let expires { return try await put(key, value, .after(expires)) }
        try await store.transaction(durability: durability) { transaction in
            let current = try await transaction.fetchEntry(key)
            try transaction.put(key, value, expires: current?.expires.map { .at($0) } ?? .never)
        }
    }

    /// The value of a key; nil if it is absent.
    ///
    /// - Throws: `PersistError.invalidConversion` if the value isn't an encoded `Object`; what the store throws.
    /// - Complexity: One read.
    public nonisolated(nonsending) func get<Object: Codable & Sendable>(
        key: String, as type: Object.Type
    ) async throws -> Object? {
        try await read(key, as: type)?.object
    }

    /// The value of a key and how long it will exist: nil for ever. Nil if the key is absent.
    ///
    /// - Throws: As ``get(key:as:)``.
    /// - Complexity: One read.
    public nonisolated(nonsending) func getWithTTL<Object: Codable & Sendable>(
        key: String, as type: Object.Type
    ) async throws -> (object: Object, ttl: Duration?)? {
        guard let (object, expires) = try await read(key, as: type) else { return nil }
        let now = store.now.milliseconds
        // It may expire between the read and here.
        return (object, expires.map { .milliseconds($0.milliseconds - min(now, $0.milliseconds)) })
    }

    /// Removes a key, which doesn't have to exist.
    ///
    /// - Throws: What the store throws.
    /// - Complexity: One write.
    public nonisolated(nonsending) func remove(key: String) async throws {
        var batch = WriteBatch()
        batch.remove(storedKey(key))
        try await store.write(batch, durability: durability)
    }

    private func storedKey(_ key: String) -> [UInt8] { prefix + Array(key.utf8) }

    private nonisolated(nonsending) func put(
        _ key: [UInt8], _ value: [UInt8], _ expires: Expiry, if condition: Condition? = nil
    ) async throws(StoreError) {
        var batch = WriteBatch(conditions: condition.map { [$0] } ?? [])
        batch.put(key, value, expires: expires)
        try await store.write(batch, durability: durability)
    }

    private nonisolated(nonsending) func read<Object: Codable & Sendable>(
        _ key: String, as type: Object.Type
    ) async throws -> (object: Object, expires: Timestamp?)? {
        guard let entry = try await store.fetchEntry(storedKey(key)) else { return nil }
        do {
            return (try coder.decode(type, from: entry.value.span.bytes), entry.expires)
        } catch is DecodingError {
            throw PersistError.invalidConversion
        }
    }
}

extension Expiry {
    /// Nil is never.
    fileprivate init(after duration: Duration?) { self = duration.map { .after($0) } ?? .never }
}
#endif
