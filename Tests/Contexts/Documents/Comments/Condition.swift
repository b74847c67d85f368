// The example of a documentation comment in Sources/KeyValueStore/Condition.swift.
// swift-format-ignore-file
import Heartwood

func order(_ store: Store) async throws {
    let view = try store.readView()
    let price = try view.get("price") ?? []
    try await store.write { batch in
        batch.require(.unchangedKey("price", since: view))
        batch.put("order:1", price)
    }
}
