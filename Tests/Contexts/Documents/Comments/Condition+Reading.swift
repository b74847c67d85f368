// The example of a documentation comment in Sources/Heartwood/Writing/Condition+Reading.swift.
// swift-format-ignore-file
import Heartwood

func order(_ store: Store) async throws {
    let view = try store.readView()
    let price = try view.get("price") ?? []
    try await store.write(if: [.unchanged("price", since: view)]) { $0.put("order:1", price) }
}
