// The example of a documentation comment in Sources/KeyValueStore/Transaction.swift.
// swift-format-ignore-file
import Heartwood

func next(_ transaction: Transaction) async throws -> Entry? {
    let next = try await transaction.fetchEntries(in: .prefix("todo:"), limit: 1).entries.first
    return next
}
