// From Sources/HeartwoodJobs/JobQueue.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodJobs
import HeartwoodRepository

func firstJob(_ store: Store) async throws {
    let queue = try await JobQueue.open(in: store)
    try await queue.enqueue(SendEmail(address: "ada@example.com", template: "welcome"))
}

private struct Customer: Codable, Identifiable, Sendable {
    var id: Int
    var email: String
}

private func welcome(_ store: Store, _ users: Repository<Customer>, _ queue: JobQueue, _ user: Customer) async throws {
    try await store.transaction { transaction in
        try await users.insert(user, in: transaction)
        try await queue.enqueue(SendEmail(address: user.email, template: "welcome"), in: transaction)
    }
}
