// From Sources/KeyValueStore/KeyValueStore+Transaction.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood

func countingTransaction(_ store: Store, _ key: [UInt8]) async throws -> Int {
    let left = try await store.transaction { transaction in
        let count = try await transaction.fetchEntry(key)?.value.count ?? 0
        try transaction.put(key, [UInt8](repeating: 0, count: count + 1))
        return count
    }.value
    return left
}
