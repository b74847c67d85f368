// The example of a documentation comment in Sources/Heartwood/Store+Read.swift.
// swift-format-ignore-file
import Heartwood

func fetchExample(_ store: Store) async throws -> [UInt8] {
    let name = try await store.fetch("user:1") ?? []
    return name
}
