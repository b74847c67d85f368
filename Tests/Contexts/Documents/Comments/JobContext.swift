// From Sources/HeartwoodJobs/JobContext.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodJobs
import HeartwoodRepository

private struct Balance: Codable, Identifiable, Sendable {
    var id: Int
}

private func pay(
    _ store: Store, _ accounts: Repository<Balance>, _ account: Balance, _ context: JobContext
) async throws {
    try await store.transaction { transaction in
        try await accounts.save(account, in: transaction)
        try await context.finish(in: transaction)
    }
}
