// The examples of documentation comments in Sources/KeyValueStore/KeyValueReader.swift.
// swift-format-ignore-file
import KeyValueStore

func readingExamples(_ store: some KeyValueStore) async throws {
    let name = try await store.fetch("user:1") ?? []
    let number = try await store.fetchEntry("user:1")?.sequence
    let users = try await store.fetchEntries(of: ["user:1", "user:2"])
    let page = try await store.fetchEntries(in: .prefix("user:"), limit: 100)
    print(name, number ?? 0, users.count, page.entries.count)
}
