// The examples of documentation comments in Sources/Heartwood/Store+Write.swift, with the spacing that they have there.
// swift-format-ignore-file
import Heartwood

func putAll(_ pairs: [(String, String)], in store: Store) async throws(StoreError) {
    var last: SequenceNumber = 0
    for (key, value) in pairs {
        last = try await store.put(key, value, durability: .buffered)
        // At most 1,000 are on their way: a sync serves all that gathered during the one before.
        if last > 1_000 { try await store.sync(through: last - 1_000) }
    }
    try await store.sync(through: last)
}

func clearCache(_ store: Store) async throws -> Int {
    let removed = try await store.remove(in: .prefix("cache:")).value
    return removed
}
