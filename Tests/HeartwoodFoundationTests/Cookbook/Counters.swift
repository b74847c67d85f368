import Heartwood

/// Adds to a counter, and returns what it is then.
func count(_ name: String, adding amount: Int = 1, in store: Store) async throws -> Int {
    try await store.transaction { transaction in
        let value = try await transaction.fetch(name).map { String(decoding: $0, as: UTF8.self) }
        let sum = (value.flatMap { Int($0) } ?? 0) + amount
        try transaction.put(name, String(sum))
        return sum
    }.value
}
