import CoreMetrics
import Foundation
import HTTPTypes
import Heartwood
import HeartwoodFileSystem
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Synchronization

@testable import CollectorService

/// A clock that a test sets.
final class TestClock: StoreClock {
    private let milliseconds = Atomic<UInt64>(1_700_000_000_000)

    func now() -> Timestamp { Timestamp(milliseconds: milliseconds.load(ordering: .sequentiallyConsistent)) }

    func advance(by duration: Duration) {
        milliseconds.store((now() + duration).milliseconds, ordering: .sequentiallyConsistent)
    }
}

/// A service on a store of its own, in memory.
struct Fixture {
    static let write = "write-secret-of-tests"
    static let read = "read-secret-of-tests!"

    let clock = TestClock()
    var settings = Settings()
    var fileSystem: any FileSystem = InMemoryFileSystem()

    init() {
        settings.tokens = [
            (Client(name: "writer", scope: .write), Self.write), (Client(name: "reader", scope: .read), Self.read),
            (Client(name: "other", scope: .write), "other-secret-of-tests"),
        ]
        settings.port = 0
    }

    func open() async throws -> Store {
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.clock = clock
        return try await Store.open(at: "/store", configuration: configuration)
    }

    func collector(_ store: Store?, _ registry: MetricsRegistry = MetricsRegistry()) async throws -> Collector {
        try await Collector(
            settings, store: store, registry: registry, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            clock: clock)
    }

    /// Opens the store, runs the service's routes, and closes the store.
    func run(
        _ setup: TestingSetup = .router,
        _ body: @Sendable @escaping (any TestClientProtocol, Store) async throws -> Void
    ) async throws {
        let store = try await open()
        do {
            try await collector(store).application().test(setup) { client in try await body(client, store) }
        } catch {
            try? await store.close()
            throw error
        }
        try await store.close()
    }
}

extension TestClientProtocol {
    /// Sends events, by default as lines.
    func post(
        _ body: String, key: String? = nil, type: String = "application/x-ndjson", token: String = Fixture.write
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: type, .authorization: "Bearer \(token)"]
        if let key { headers[.idempotencyKey] = key }
        return try await executeRequest(
            uri: "/events", method: .post, headers: headers, body: ByteBuffer(string: body))
    }

    func read(_ uri: String, headers: HTTPFields = [:]) async throws -> TestResponse {
        var headers = headers
        headers[.authorization] = "Bearer \(Fixture.read)"
        return try await executeRequest(uri: uri, method: .get, headers: headers, body: nil)
    }
}

extension TestResponse {
    var text: String { String(buffer: body) }

    /// The JSON object.
    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body.readableBytesView))) as? [String: Any] ?? [:]
    }

    var ids: [String] { json["ids"] as? [String] ?? [] }
    var code: String? { json["code"] as? String }
    var events: [[String: Any]] { json["events"] as? [[String: Any]] ?? [] }
}
