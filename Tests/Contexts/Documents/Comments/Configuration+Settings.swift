// Compiled in Tests/Integrations, which has a link to this file: Tools/contexts doesn't enable the trait.
#if canImport(ServiceLifecycle)
import Configuration
import Heartwood
import HeartwoodService

private func read() async throws -> Store.Configuration {
    let config = ConfigReader(provider: EnvironmentVariablesProvider())
    let configuration = try await Store.Configuration(config: config.scoped(to: "store"))  // STORE_DURABILITY, …
    return configuration
}
#endif
