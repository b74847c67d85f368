// The examples of documentation comments in Sources/Heartwood/Reading/Scan.swift.
// swift-format-ignore-file
import Heartwood

func scanExamples(_ store: Store) async throws -> Int {
    for try await entry in store.scan(.prefix("user:")) { print(entry.key.count, entry.value.count) }
    let newest = try store.scan(.prefix("event:"), reversed: true, limit: 10).entries()
    let users = try store.scan(.prefix("user:")).count()
    return newest.count + users
}
