// Compiled in Tests/Integrations, which has a link to this file: Tools/contexts doesn't enable the trait.
#if canImport(ServiceLifecycle)
import Heartwood
import HeartwoodRepository
import HeartwoodService
import Logging
import ServiceLifecycle
import UnixSignals

private struct City: Codable, Identifiable, Sendable {
    var id: Int
    var name: String
}

private func serve(_ server: (Repository<City>) -> any Service, _ logger: Logger) async throws {
    let service = try await StoreService.open(at: "/var/lib/app/store")
    let cities = try await service.store.repository(of: City.self, named: "cities")
    let group = ServiceGroup(
        services: [service, server(cities)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    try await group.run()
}
#endif
