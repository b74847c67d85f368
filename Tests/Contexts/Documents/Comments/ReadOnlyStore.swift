// The examples of documentation comments in Sources/Heartwood/ReadOnly/ReadOnlyStore.swift, with the spacing that they
// have there.
// swift-format-ignore-file
import Heartwood

func readOnlyExample() async throws -> [UInt8]? {
    let store = try await ReadOnlyStore.open(at: "app.store")
    let value = try store.get("user:1")         // as of the last refresh
    try await store.refresh()
    return value
}

func refreshExample() async throws {
    let store = try ReadOnlyStore(openingAt: "app.store", level: .visible)
    let refresh = try await store.refresh()
    print("\(refresh.to.sequence - refresh.from.sequence) writes")
}
