import Heartwood
import HeartwoodService
import HeartwoodTesting
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import Synchronization

/// A store on a simulated disk, with metrics, spans and log lines that a test can look at.
struct ServiceFixture {
    let disk = SimulatedDisk()
    let metrics = TestMetrics()
    let tracer = InMemoryTracer()
    let log = InMemoryLogHandler()

    var options: StoreService.Options {
        var options = StoreService.Options()
        (options.metrics, options.tracer, options.name) = (metrics, tracer, "test")
        var logger = Logger(label: "test") { _ in log }
        logger.logLevel = .trace
        options.logger = logger
        options.interval = .milliseconds(10)
        return options
    }

    func open(
        _ change: (inout Store.Configuration) -> Void = { _ in },
        options changeOptions: (inout StoreService.Options) -> Void = { _ in }
    ) async throws -> StoreService {
        var configuration = Store.Configuration()
        configuration.storage = disk.storage
        change(&configuration)
        var options = options
        changeOptions(&options)
        return try await StoreService.open(at: "/data/store", configuration: configuration, options: options)
    }

    /// Makes the next write to the log fail at its sync.
    func failSync() { disk.inject(Fault(.sync, .deviceError)) }

    func total(_ label: String, _ dimensions: [(String, String)] = []) -> Int64 {
        metrics.counterTotal(label: "heartwood." + label, dimensions: [("store", "test")] + dimensions)
    }

    func gauge(_ label: String, _ dimensions: [(String, String)] = []) -> Double? {
        metrics.recorders(label: "heartwood." + label, dimensions: [("store", "test")] + dimensions).first?.lastValue
    }
}

/// The error that a call throws; nil if it throws none.
func error(of body: () async throws -> Void) async -> StoreError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}
