// Blocks of Durability.md, with the spacing that they have there. Tools/contexts compiles them.
// swift-format-ignore-file
import Heartwood

func writeInThreeWays(to store: Store) async throws {
    try await store.put("order:17", "paid")                             // the configuration's default: .synced
    try await store.put("seen:17", "1", durability: .buffered)          // this write only
    try await store.write(durability: .written) { batch in              // a batch has one durability
        batch.put("a", "1")
        batch.remove("b")
    }
}

func importLines(_ lines: [(key: String, value: String)], into store: Store) async throws {
    var last: SequenceNumber = 0
    for line in lines {
        last = try await store.put(line.key, line.value, durability: .buffered)
    }
    try await store.synced(through: last)                               // now all of them may be acknowledged
}
