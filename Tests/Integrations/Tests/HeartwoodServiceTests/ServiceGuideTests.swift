import Configuration
import HeartwoodService
import Testing
import Tracing

/// The programs of Documentation/Services.md.
@Suite struct ServiceGuideTests {
    struct City: Codable, Identifiable, Sendable {
        var id: Int
        var name: String
    }

    @Test func fromSettings() async throws {
        let directory = TemporaryPath()
        defer { directory.remove() }
        let environment = ["STORE_PATH": directory.path, "STORE_COMPACTION_MAXIMUM_LOG_BYTES": "1000000000"]
        let provider = EnvironmentVariablesProvider(environmentVariables: environment)
        func start() async throws -> StoreService {
            let config = ConfigReader(provider: provider)
            let service = try await StoreService.open(config: config.scoped(to: "store"))
            return service
        }
        try await start().store.close()
    }

    @Test func withSpans() async throws {
        let store = try Store.inMemory()
        let definition = RepositoryDefinition<City>("cities")
        let tracer = InstrumentationSystem.tracer
        func rename() async throws {
            let cities = try await store.repository(definition).traced(by: tracer)
            try await cities.save(City(id: 1, name: "Reykjavík"))  // a span "save cities"

            try await store.transaction(tracedBy: tracer) { transaction in  // a span "heartwood.transaction"
                guard var city = try await cities.base.find(by: 1, in: transaction) else { return }
                city.name = "Vík"
                try await cities.base.save(city, in: transaction)
            }
        }
        try await rename()
        try await store.close()
    }
}
