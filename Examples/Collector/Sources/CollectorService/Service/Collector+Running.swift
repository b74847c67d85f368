import Heartwood
import HeartwoodEtcd
import HeartwoodService
public import Logging
import ServiceLifecycle
import UnixSignals

extension Collector {
    /// Opens the store, serves until SIGTERM or SIGINT, lets open requests end, and closes the store.
    ///
    /// - Throws: What the store throws when it is opened or closed, or because a write has failed; what the services
    ///   throw.
    public static func run(_ settings: Settings, registry: MetricsRegistry, logger: Logger) async throws {
        for scope in [Client.Scope.write, .read] where !settings.tokens.contains(where: { $0.client.scope == scope }) {
            logger.warning("there are no tokens for '\(scope)': set tokens.\(scope)")
        }
        if let cluster = settings.cluster { return try await run(settings, on: cluster, registry, logger) }
        guard let path = settings.store else {
            logger.warning("running without a store: events are checked, answered and dropped")
            return try await Collector(settings, store: nil, registry: registry, logger: logger).serviceGroup(nil).run()
        }
        var options = settings.storeOptions
        (options.logger, options.metrics) = (logger, registry)
        let service = try await StoreService.open(
            at: path, configuration: settings.storeConfiguration, options: options)
        let store = service.store
        logger.info("store opened", metadata: ["path": "\(path)", "keys": "\(store.statistics.keys)"])
        do {
            try await Collector(settings, store: store, registry: registry, logger: logger).serviceGroup(service).run()
        } catch {
            // Closes it if the group never ran.
            try? await store.close()
            throw error
        }
        logger.info("store closed")
    }

    private static func run(
        _ settings: Settings, on cluster: EtcdStore.Configuration, _ registry: MetricsRegistry, _ logger: Logger
    ) async throws {
        var configuration = cluster
        configuration.logger = logger
        let store = try await EtcdStore.open(configuration)
        let endpoints = cluster.endpoints.map(\.description).joined(separator: ",")
        logger.info("cluster opened", metadata: ["endpoints": "\(endpoints)"])
        do {
            try await Collector(settings, store: store, registry: registry, logger: logger).serviceGroup(nil).run()
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    /// The store, the services on it, and the server, which is the first to end.
    func serviceGroup(_ store: StoreService?) throws -> ServiceGroup {
        let all = [store].compactMap { $0 as (any Service)? } + services + [try application()]
        var configuration = ServiceGroupConfiguration(
            services: all.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        // Then what is still running is cancelled.
        configuration.maximumGracefulShutdownDuration = settings.shutdownTimeout
        configuration.maximumCancellationDuration = .seconds(5)
        return ServiceGroup(configuration: configuration)
    }
}
