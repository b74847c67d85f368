// The example of a documentation comment in Sources/Heartwood/Store.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood

func storeExample(_ bytes: [UInt8]) async throws {
    let store = try await Store.open(at: "app.store")
    try await store.put("user:1", bytes)            // on disk when it returns
    let value = try store.get("user:1")             // no await: readers never queue behind writers
    try await store.close()
    _ = value
}
