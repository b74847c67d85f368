// The examples of documentation comments in Sources/Heartwood/ReadOnly/ReadOnlyStore.swift, with the spacing that they
// have there.
// swift-format-ignore-file
import Heartwood

func readOnlyExample() async throws -> [UInt8]? {
    let store = try await ReadOnlyStore.open(at: "app.store")
    let value = try store.get("user:1")         // as of the last refresh
    try await store.fetchNewest()
    return value
}

func blockingReadOnlyExample() throws {
    let store = try ReadOnlyStore(openingAt: "app.store", level: .visible)
    let refresh = try store.refresh()
    print("\(refresh.to.sequence - refresh.from.sequence) writes")
}

func newestExample(_ store: ReadOnlyStore) async throws -> Int {
    try await store.fetchNewest()
    let users = try store.readView().count(in: .prefix("user:"))
    return users
}
