// Compiled in Tests/Integrations, which has a link to this file: Tools/contexts doesn't enable the trait.
#if canImport(ServiceLifecycle)
import Heartwood
import HeartwoodRepository
import HeartwoodService
import Tracing

private struct Account: Codable, Identifiable, Sendable {
    var id: Int
}

private func save(
    _ account: Account, in accounts: Repository<Account>, _ store: Store, _ tracer: any Tracer
) async throws {
    try await store.transaction(tracedBy: tracer) { transaction in
        try await accounts.save(account, in: transaction)
    }
}
#endif
