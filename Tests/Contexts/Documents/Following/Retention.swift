// A Swift block of Documentation/Following.md, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood

func retentionExample() async throws -> Store {
    var configuration = Store.Configuration()
    configuration.logRetention = .bytes(4 << 30)    // about what is written while a consumer may be stopped
    let store = try await Store.open(at: "app.store", configuration: configuration)
    return store
}
