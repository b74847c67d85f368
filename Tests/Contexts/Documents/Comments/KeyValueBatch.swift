// From Sources/KeyValueStore/KeyValueBatch.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood

func insertByBatch(_ store: Store, _ key: [UInt8], _ value: [UInt8]) async throws {
    var batch = KeyValueBatch()
    batch.put(key, value)
    batch.conditions.append(.absent(key))
    try await store.commit(batch, durability: nil)
}
