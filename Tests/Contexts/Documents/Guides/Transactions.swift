// Blocks of Transactions.md, with the spacing that they have there. Tools/contexts compiles them.
// swift-format-ignore-file
import Heartwood

func accept(in store: Store) async throws {
    try await store.write { batch in
        batch.put("user:7", "Ada")
        batch.put("by-name:Ada", "7")
        batch.remove("invitation:7")
    }
}

func rename(in store: Store) async throws {
    try await store.put("user:7", "Ada", if: .absent)                       // only if there is none
    if let entry = try await store.fetchEntry("user:7") {
        try await store.put("user:7", "Ada L.", if: .sequence(entry.sequence))  // only if it is still this one
    }
}
