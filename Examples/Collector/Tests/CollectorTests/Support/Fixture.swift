import CoreMetrics
import Foundation
import HTTPTypes
import Heartwood
import HeartwoodEtcd
import HeartwoodFileSystem
import Hummingbird
import HummingbirdTesting
import KeyValueStoreTesting
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

/// A service on a store of its own: on files in memory, or on the cluster that `Tools/cluster` has started.
struct Fixture {
    static let write = "write-secret-of-tests"
    static let read = "read-secret-of-tests!"

    let clock: TestClock
    var settings = Settings()
    private let fileSystem: any FileSystem
    /// Opens the store on a cluster; nil on files.
    private let openCluster: (@Sendable () async throws -> any KeyValueStore)?

    /// On files, unless there is a cluster.
    init() {
        let clock = TestClock()
        guard let endpoints = ProcessInfo.processInfo.environment["HEARTWOOD_ETCD_ENDPOINTS"] else {
            self.init(clock, InMemoryFileSystem(), openCluster: nil)
            return
        }
        var configuration = EtcdStore.Configuration(
            endpoints: endpoints.split(separator: ",").compactMap { .init(String($0)) }, prefix: "test-\(UUID())/")
        // Many tests run at the same time. Their clocks stand still, while etcd's go on.
        (configuration.deadline, configuration.attemptTimeout) = (.seconds(240), .seconds(30))
        configuration.expiryMargin = .seconds(3_600)
        configuration.clock = { clock.now() }
        self.init(clock, InMemoryFileSystem()) { [configuration] in try await EtcdStore.open(configuration) }
    }

    /// On files.
    init(on fileSystem: any FileSystem) { self.init(TestClock(), fileSystem, openCluster: nil) }

    /// On a cluster in memory. Each opening is that of another program.
    init(_ behaviour: ConstrainedStore.Behaviour) {
        let clock = TestClock()
        let cluster = ConstrainedStore(behaviour, clock: { clock.now() })
        self.init(clock, InMemoryFileSystem()) { cluster.anotherHandle() }
    }

    private init(
        _ clock: TestClock, _ fileSystem: any FileSystem,
        openCluster: (@Sendable () async throws -> any KeyValueStore)?
    ) {
        (self.clock, self.fileSystem, self.openCluster) = (clock, fileSystem, openCluster)
        settings.tokens = [
            (Client(name: "writer", scope: .write), Self.write), (Client(name: "reader", scope: .read), Self.read),
            (Client(name: "other", scope: .write), "other-secret-of-tests"),
        ]
        settings.port = 0
    }

    func open() async throws -> any KeyValueStore {
        if let openCluster { return try await openCluster() }
        return try await openFiles()
    }

    func openFiles() async throws -> Store {
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.clock = clock
        return try await Store.open(at: "/store", configuration: configuration)
    }

    func collector(_ store: (any KeyValueStore)?, _ registry: MetricsRegistry = MetricsRegistry()) async throws
        -> Collector
    {
        try await Collector(
            settings, store: store, registry: registry, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            clock: clock)
    }

    /// Opens the store, runs the service's routes, and closes the store.
    func run(
        _ setup: TestingSetup = .router,
        _ body: @Sendable @escaping (any TestClientProtocol, any KeyValueStore) async throws -> Void
    ) async throws {
        try await runCollector(setup) { client, collector in
            guard let store = collector.store else { return }
            try await body(client, store)
        }
    }

    /// Opens the store, runs the service's routes without its services, and closes the store.
    func runCollector(
        _ setup: TestingSetup = .router,
        _ body: @Sendable @escaping (any TestClientProtocol, Collector) async throws -> Void
    ) async throws {
        let store = try await open()
        do {
            let collector = try await collector(store)
            try await collector.application().test(setup) { client in try await body(client, collector) }
        } catch {
            try? await store.end()
            throw error
        }
        try await store.end()
    }
}

extension KeyValueStore {
    /// Closes it, whichever engine it is.
    func end() async throws {
        switch self as any KeyValueStore {
        case let files as Store: try await files.close()
        case let cluster as EtcdStore: await cluster.close()
        case let cluster as ConstrainedStore: await cluster.close()
        default: break
        }
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
