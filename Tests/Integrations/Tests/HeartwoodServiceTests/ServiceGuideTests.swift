import Configuration
import HeartwoodService
import Logging
import ServiceLifecycle
import Testing
import Tracing
import UnixSignals

/// The programs of Documentation/Services.md.
@Suite struct ServiceGuideTests {
    struct City: Codable, Identifiable, Sendable {
        var id: Int
        var name: String
    }

    /// In the place of a web server: ends the group after one request.
    struct Server: Service {
        let cities: Repository<City>

        func run() async throws {
            try await cities.save(City(id: 1, name: "Reykjavík"))
            try await gracefulShutdown()
        }
    }

    @Test func inAServiceGroup() async throws {
        let directory = TemporaryPath()
        defer { directory.remove() }
        func serve(_ path: String, _ logger: Logger, _ running: (ServiceGroup) -> Void) async throws {
            var options = StoreService.Options()
            options.logger = logger
            let service = try await StoreService.open(at: path, options: options)
            let cities = try await service.store.repository(of: City.self, named: "cities")

            let group = ServiceGroup(
                services: [service, Server(cities: cities)],  // closed last, because it is first
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger)
            running(group)
            try await group.run()
        }
        try await serve(directory.path, Logger(label: "app")) { group in
            Task { await group.triggerGracefulShutdown() }
        }
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
