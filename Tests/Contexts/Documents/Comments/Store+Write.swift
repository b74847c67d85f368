// The example of a documentation comment in Sources/Heartwood/Store+Write.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood

func rename(_ store: Store) async throws(StoreError) {
    var batch = store.makeBatch()
    batch.put("new", "value", if: .absent)
    batch.remove("old")
    try await store.write(batch)
}
