// Compiled in Tests/Integrations, which has a link to this file: Tools/contexts doesn't enable the trait.
#if canImport(ServiceLifecycle)
import Heartwood
import HeartwoodRepository
import HeartwoodService
import Tracing

private struct City: Codable, Identifiable, Sendable {
    static let repository = RepositoryDefinition<City>("cities")
    var id: Int
    var country: String
}

private func save(_ city: City, _ store: Store) async throws -> Int {
    let cities = try await store.repository(City.repository).traced(by: InstrumentationSystem.tracer)
    try await cities.save(city)  // a span "save cities"
    let largest = try await cities.fetch(Query(where: \.country == "IS", limit: 10))
    return largest.count
}
#endif
