import CoreMetrics
import Foundation
import Heartwood
import HeartwoodEtcd
import HeartwoodService
import Logging
import ServiceLifecycle

@main
enum Main {
    static func main() async {
        do {
            let settings = try await Settings.read(
                arguments: CommandLine.arguments, environment: ProcessInfo.processInfo.environment)
            LoggingSystem.bootstrap(StreamLogHandler.standardError)
            var logger = Logger(label: "collector")
            logger.logLevel = settings.logLevel
            let registry = MetricsRegistry()
            MetricsSystem.bootstrap(registry)
            try await run(settings, registry, logger)
        } catch {
            FileHandle.standardError.write(Data("collector: \(error)\n".utf8))
            exit(1)
        }
    }

    /// Opens the store, serves until SIGTERM or SIGINT, lets open requests end, and closes the store.
    private static func run(_ settings: Settings, _ registry: MetricsRegistry, _ logger: Logger) async throws {
        for scope in [Client.Scope.write, .read] where !settings.tokens.contains(where: { $0.client.scope == scope }) {
            logger.warning("there are no tokens for '\(scope)': set tokens.\(scope)")
        }
        func serve(_ store: (any KeyValueStore)?, _ service: StoreService? = nil) async throws {
            try await Collector(settings, store: store, registry: registry, logger: logger).serviceGroup(service).run()
        }
        if var cluster = settings.cluster {
            cluster.logger = logger
            let store = try await EtcdStore.open(cluster)
            let endpoints = cluster.endpoints.map(\.description).joined(separator: ",")
            logger.info("cluster opened", metadata: ["endpoints": "\(endpoints)"])
            do { try await serve(store) } catch {
                await store.close()
                throw error
            }
            await store.close()
        } else if let path = settings.store {
            var options = settings.storeOptions
            (options.logger, options.metrics) = (logger, registry)
            let service = try await StoreService.open(
                at: path, configuration: settings.storeConfiguration, options: options)
            logger.info("store opened", metadata: ["path": "\(path)", "keys": "\(service.store.statistics.keys)"])
            do { try await serve(service.store, service) } catch {
                // Closes it if the group never ran.
                try? await service.store.close()
                throw error
            }
            logger.info("store closed")
        } else {
            logger.warning("running without a store: events are checked, answered and dropped")
            try await serve(nil)
        }
    }
}
