// Compiled in Tests/Integrations, which has a link to this file: Tools/contexts doesn't enable the trait.
#if canImport(Hummingbird)
import Heartwood
import HeartwoodHummingbird
import Hummingbird

func persistDriver(_ router: Router<BasicRequestContext>) async throws {
    let store = try await Store.open(at: "app.store")
    let persist = HeartwoodPersistDriver(store)
    try await persist.create(key: "session/1", value: "user 7", expires: .seconds(3600))
    let application = Application(router: router, services: [persist])
    try await application.runService()
    try await store.close()
}
#endif
