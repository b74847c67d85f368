// The example of a documentation comment in Sources/Heartwood/Reading/Scan.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood

func scanExample(_ store: Store) async throws {
    for try await (key, value) in store.scan(prefix: "user:") { print(key.count, value.count) }
}
