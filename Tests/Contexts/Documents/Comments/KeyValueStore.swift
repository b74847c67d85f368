// The example of a documentation comment in Sources/KeyValueStore/KeyValueStore.swift.
// swift-format-ignore-file
import Heartwood

func rename(_ store: Store) async throws(StoreError) {
    var batch = store.makeBatch()
    batch.put("new", "value", if: .absent)
    batch.remove("old")
    try await store.write(batch)
}
