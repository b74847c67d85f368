import Heartwood
public import Logging
import ServiceLifecycle
import UnixSignals

extension Collector {
    /// Opens the store, serves until SIGTERM or SIGINT, lets open requests end, and closes the store.
    ///
    /// - Throws: What the store throws when it is opened or closed; what the services throw.
    public static func run(_ settings: Settings, registry: MetricsRegistry, logger: Logger) async throws {
        for scope in [Client.Scope.write, .read] where !settings.tokens.contains(where: { $0.client.scope == scope }) {
            logger.warning("there are no tokens for '\(scope)': set tokens.\(scope)")
        }
        guard let path = settings.store else {
            logger.warning("running without a store: events are checked, answered and dropped")
            return try await Collector(settings, store: nil, registry: registry, logger: logger).serve()
        }
        var configuration = Store.Configuration()
        configuration.logger = logger
        try await Store.withStore(at: path, configuration: configuration) { store in
            logger.info("store opened", metadata: ["path": "\(path)", "keys": "\(store.statistics.keys)"])
            try await Collector(settings, store: store, registry: registry, logger: logger).serve()
        }
        logger.info("store closed")
    }

    /// Runs the server and the services beside it, until they have ended.
    func serve() async throws { try await serviceGroup().run() }

    /// The server and the services beside it.
    func serviceGroup() throws -> ServiceGroup {
        var services = services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) }
        services.append(.init(service: try application()))
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        // Then what is still running is cancelled.
        configuration.maximumGracefulShutdownDuration = settings.shutdownTimeout
        configuration.maximumCancellationDuration = .seconds(5)
        return ServiceGroup(configuration: configuration)
    }
}
