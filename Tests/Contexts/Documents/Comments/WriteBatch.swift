// The example of a documentation comment in Sources/KeyValueStore/WriteBatch.swift, with the spacing that it has
// there.
// swift-format-ignore-file
import Heartwood

func batchExample(_ store: Store, _ debited: String, _ credited: String) async throws {
    try await store.write { batch in
        batch.put("account:1", debited)
        batch.put("account:2", credited)
        batch.remove("transfer:17")
    }
}
