import ClusterSupport
import HeartwoodEtcd
import KeyValueStore
import Testing

extension Trait where Self == ConditionTrait {
    /// Only with the servers that `Tools/cluster` has started.
    static var onCluster: Self { .enabled(if: TestCluster.isThere, Comment(rawValue: TestCluster.hint)) }
}

/// Opens a store, calls `body` with it, and closes it.
func withStore(
    _ configure: (inout EtcdStore.Configuration) -> Void = { _ in }, _ body: (EtcdStore) async throws -> Void
) async throws {
    var configuration = TestCluster.configuration()
    configure(&configuration)
    let store = try await EtcdStore.open(configuration)
    try await body(store)
    await store.close()
}

/// The error of a call; nil if it has none.
func error(_ body: () async throws -> Void) async -> StoreError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}

/// The code of the error of a call; nil if it has none.
func code(_ body: () async throws -> Void) async -> StoreError.Code? { await error(body)?.code }

extension KeyValueStore {
    /// Writes one key.
    @discardableResult
    func put(
        _ key: some ByteSource, _ value: some ByteSource, expires: Expiry = .never
    ) async throws(StoreError) -> SequenceNumber {
        var batch = WriteBatch()
        batch.put(key, value, expires: expires)
        return try await write(batch, durability: nil)
    }

    /// Removes one key.
    @discardableResult
    func remove(_ key: some ByteSource) async throws(StoreError) -> SequenceNumber {
        var batch = WriteBatch()
        batch.remove(key)
        return try await write(batch, durability: nil)
    }
}
