import CollectorService
import CoreMetrics
import Foundation
import Logging

@main
enum Main {
    static func main() async {
        do {
            let settings = try await Settings.read(
                arguments: CommandLine.arguments, environment: ProcessInfo.processInfo.environment)
            LoggingSystem.bootstrap(StreamLogHandler.standardError)
            var logger = Logger(label: "collector")
            logger.logLevel = Logger.Level(rawValue: settings.logLevel) ?? .info
            let registry = MetricsRegistry()
            MetricsSystem.bootstrap(registry)
            try await Collector.run(settings, registry: registry, logger: logger)
        } catch {
            FileHandle.standardError.write(Data("collector: \(error)\n".utf8))
            exit(1)
        }
    }
}
