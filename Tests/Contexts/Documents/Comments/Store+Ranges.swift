// The examples of documentation comments in Sources/Heartwood/Store+Ranges.swift.
// swift-format-ignore-file
import Heartwood

func rangeExamples(_ store: Store) async throws -> Int {
    let newest = try store.entries(in: .prefix("event:"), reversed: true, limit: 10).entries
    let page = try await store.fetchEntries(in: .prefix("user:"), limit: 100)
    let users = try store.count(in: .prefix("user:"))
    return newest.count + page.entries.count + users
}
