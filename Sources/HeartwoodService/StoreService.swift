// The package trait "Service" enables this code. Without it the module is empty, and its dependencies are not fetched.
#if Service
public import Configuration
public import Heartwood
internal import Logging
public import ServiceLifecycle
internal import Synchronization

/// A store as a service of a `ServiceGroup`: opened before the others, closed after them, with metrics and traces.
///
/// ```swift
/// let service = try await StoreService.open(at: "/var/lib/app/store")
/// let cities = try await service.store.repository(of: City.self, named: "cities")
/// let group = ServiceGroup(
///     services: [service, server(cities)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
/// try await group.run()
/// ```
///
/// A group shuts its services down in reverse order. So put this one first: it is closed when those that write have
/// ended. The store works without ``run()``, and what is acknowledged is safe without it; only `run` reports metrics,
/// ends the group when the store has failed, and closes the store.
public final class StoreService: Service {
    /// The store.
    public let store: Store
    private let options: Options
    private let instruments: Instruments
    private let hasRun = Atomic(false)

    private init(_ store: Store, _ options: Options, _ instruments: Instruments) {
        (self.store, self.options, self.instruments) = (store, options, instruments)
    }

    /// Opens a store, and creates it if there is none, without blocking a thread of the cooperative pool.
    ///
    /// Cancellation doesn't interrupt it. An observer of the configuration is still called.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - configuration: How the store works. If it has no logger, it gets that of the options.
    ///   - options: Where metrics, traces and logs go.
    /// - Throws: As `Store.open(at:configuration:)`.
    /// - Complexity: O(bytes of log).
    public nonisolated(nonsending) static func open(
        at path: String, configuration: Store.Configuration = Store.Configuration(), options: Options = Options()
    ) async throws(StoreError) -> StoreService {
        let instruments = Instruments(options, name: options.name ?? lastComponent(of: path))
        var configuration = configuration
        configuration.logger = configuration.logger ?? options.logger
        let observer = configuration.observer
        configuration.observer = { event in
            instruments.observe(event)
            observer?(event)
        }
        let store = try await instruments.spans.opening { [configuration] () async throws(StoreError) in
            try await Store.open(at: path, configuration: configuration)
        }
        instruments.report(store.statistics)
        return StoreService(store, options, instruments)
    }

    /// Opens the store that settings describe.
    ///
    /// ## Configuration keys
    /// - `path` (string, required): the directory.
    /// - Those of ``Heartwood/Store/Configuration/init(config:)``.
    /// - Those of ``Options/init(config:options:)``.
    ///
    /// - Parameters:
    ///   - config: A reader, usually scoped: `config.scoped(to: "store")`.
    ///   - options: What the settings don't say.
    /// - Throws: `.invalidArgument` for a missing path or a wrong value, which it names; otherwise as
    ///   ``open(at:configuration:options:)``.
    public nonisolated(nonsending) static func open(
        config: ConfigReader, options: Options = Options()
    ) async throws(StoreError) -> StoreService {
        let settings = Settings(config)
        let path: String = try await settings.required("path")
        return try await open(
            at: path, configuration: try await Store.Configuration(config: config),
            options: try await Options(config: config, options: options))
    }

    /// Reports metrics until the group shuts down, or the task is cancelled, and then closes the store: what was
    /// accepted is on the disk when it returns.
    ///
    /// - Throws: Why the store has failed, which ends the group; `.closed` if it was closed by other code; what closing
    ///   throws; `.invalidArgument` at the second call.
    public func run() async throws {
        guard hasRun.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else {
            throw StoreError(.invalidArgument, "the service of a store was run twice: put it into one group, once")
        }
        var reason: StoreError?
        do {
            reason = try await cancelWhenGracefulShutdown { try await self.work() }
        } catch is CancellationError {
            // The group shuts down, or has been cancelled.
        }
        var closing: StoreError?
        do throws(StoreError) { try await store.close() } catch { closing = error }
        instruments.report(store.statistics)
        if let reason = reason ?? closing { throw reason }
    }

    /// Reports metrics until the store has ended, and returns why.
    private func work() async throws -> StoreError {
        try await withThrowingTaskGroup(of: StoreError?.self) { group in
            group.addTask {
                while true {
                    self.instruments.report(self.store.statistics)
                    try await Task.sleep(for: self.options.interval)
                }
            }
            group.addTask { await self.instruments.end() }
            defer { group.cancelAll() }
            guard let reason = try await group.next() ?? nil else { throw CancellationError() }
            return reason
        }
    }

    private static func lastComponent(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
#endif
