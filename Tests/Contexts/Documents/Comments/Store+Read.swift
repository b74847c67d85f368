// The examples of documentation comments in Sources/Heartwood/Store+Read.swift, with the spacing that they have there.
// swift-format-ignore-file
import Heartwood

func expiryExample(_ store: Store) throws -> Timestamp? {
    let end = try store.expiry(of: "session:1")?.timestamp
    return end
}

func fetchExamples(_ store: Store) async throws {
    let name = try await store.fetch("user:1") ?? []
    let names = try await store.fetch(all: ["user:1", "user:2"])
    let number = try await store.fetchEntry("user:1")?.sequence
    print(name, names, number ?? 0)
}

func lentExample(_ store: Store, lastSeen: SequenceNumber) throws -> Bool {
    let isNew = try store.withEntry("user:1") { value, sequence, expires in sequence > lastSeen } ?? false
    return isNew
}
