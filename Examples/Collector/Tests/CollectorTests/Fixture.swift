import AsyncHTTPClient
import Foundation
import HTTPTypes
import Heartwood
import HeartwoodEtcd
import Hummingbird
import HummingbirdTesting
import KeyValueStoreTesting
import Logging
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import collector

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
    static let other = "other-secret-of-tests"

    let clock: TestClock
    var settings = Settings()
    /// Opens the store.
    let open: @Sendable () async throws -> any KeyValueStore

    /// On files, unless there is a cluster.
    init() {
        guard let endpoints = ProcessInfo.processInfo.environment["HEARTWOOD_ETCD_ENDPOINTS"] else {
            self.init(on: .inMemory())
            return
        }
        let clock = TestClock()
        var configuration = EtcdStore.Configuration(
            endpoints: endpoints.split(separator: ",").compactMap { .init(String($0)) }, prefix: "test-\(UUID())/")
        // Many tests run at the same time. Their clocks stand still, while etcd's go on.
        (configuration.deadline, configuration.attemptTimeout) = (.seconds(240), .seconds(30))
        configuration.expiryMargin = .seconds(3_600)
        configuration.clock = { clock.now() }
        self.init(clock) { [configuration] in try await EtcdStore.open(configuration) }
    }

    /// On files.
    init(on storage: Storage) {
        let clock = TestClock()
        self.init(clock) {
            var configuration = Store.Configuration()
            (configuration.storage, configuration.clock) = (storage, clock)
            return try await Store.open(at: "/store", configuration: configuration)
        }
    }

    /// On a cluster in memory. Each opening is that of another program.
    init(_ behaviour: ConstrainedStore.Behaviour) {
        let clock = TestClock()
        let cluster = ConstrainedStore(behaviour, clock: { clock.now() })
        self.init(clock) { cluster.anotherHandle() }
    }

    private init(_ clock: TestClock, open: @escaping @Sendable () async throws -> any KeyValueStore) {
        (self.clock, self.open) = (clock, open)
        settings.tokens = [
            (Client(name: "writer", scope: .write), Self.write), (Client(name: "reader", scope: .read), Self.read),
            (Client(name: "other", scope: .write), Self.other),
        ]
        settings.port = 0
    }

    func collector(_ store: (any KeyValueStore)?) async throws -> Collector {
        try await Collector(
            settings, store: store, registry: MetricsRegistry(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: clock)
    }

    /// The same with other settings.
    func with(_ change: (inout Settings) -> Void) -> Fixture {
        var copy = self
        change(&copy.settings)
        return copy
    }

    /// Opens the store, runs the service's routes, and closes the store.
    @discardableResult
    func run<R: Sendable>(
        _ setup: TestingSetup = .router,
        _ body: @Sendable @escaping (any TestClientProtocol, Collector, any KeyValueStore) async throws -> R
    ) async throws -> R {
        let store = try await open()
        let result: R
        do {
            let collector = try await collector(store)
            result = try await collector.application().test(setup) { try await body($0, collector, store) }
        } catch {
            try? await store.end()
            throw error
        }
        try await store.end()
        return result
    }
}

extension KeyValueStore {
    var eventCount: Int { get async throws { try await fetchCount(in: Keys.events) } }

    /// Everything that is in it.
    var entries: [Entry] { get async throws { try await fetchEntries(in: .all, reversed: false, limit: .max).entries } }

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
    func send(
        _ method: HTTPRequest.Method, _ uri: String, _ headers: HTTPFields = [:], _ body: String? = nil
    ) async throws -> TestResponse {
        try await executeRequest(uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
    }

    /// Sends events, by default as lines.
    func post(
        _ body: String = #"{"type":"a"}"#, key: String? = nil, type: String = "application/x-ndjson",
        token: String = Fixture.write
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: type, .authorization: "Bearer \(token)"]
        headers[.idempotencyKey] = key
        return try await send(.post, "/events", headers, body)
    }

    func read(_ uri: String) async throws -> TestResponse {
        try await send(.get, uri, [.authorization: "Bearer \(Fixture.read)"])
    }

    /// The pages of a listing, one after the other.
    func pages(_ uri: String) async throws -> [TestResponse] {
        var pages: [TestResponse] = []
        var cursor: String? = ""
        while let here = cursor {
            let page = try await read(here.isEmpty ? uri : "\(uri)&cursor=\(here)")
            #expect(page.status == .ok, "\(page.text)")
            pages.append(page)
            cursor = page.json["next"] as? String
        }
        return pages
    }

    /// Opens a stream of a live service, and calls `body` with its lines. The connection is closed afterwards.
    func stream<R: Sendable>(
        _ uri: String = "/events/stream", after: String? = nil,
        _ body: @Sendable @escaping (inout StreamReader) async throws -> R
    ) async throws -> R {
        let port = try #require(port)
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(uri)")
        request.headers.add(name: "Authorization", value: "Bearer \(Fixture.read)")
        if let after { request.headers.add(name: "Last-Event-ID", value: after) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        #expect(response.status == .ok && response.headers["content-type"] == ["text/event-stream"])
        var reader = StreamReader(lines: response.body.splitUTF8Lines().makeAsyncIterator())
        return try await body(&reader)
    }
}

/// The lines of a stream as they come.
struct StreamReader {
    var lines: NIODecodedAsyncSequence<HTTPClientResponse.Body, NIOSplitUTF8LinesMessageDecoder>.AsyncIterator

    /// The rest of the next line that begins so; nil when the stream has ended.
    mutating func next(_ prefix: String) async -> String? {
        while let line = try? await lines.next() {
            if line.hasPrefix(prefix) { return String(line.dropFirst(prefix.count)) }
        }
        return nil
    }
}

extension TestResponse {
    var text: String { String(buffer: body) }
    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body.readableBytesView))) as? [String: Any] ?? [:]
    }
    var code: String? { json["code"] as? String }
    var ids: [String] { json["ids"] as? [String] ?? [] }
    /// The member `n` of the listed events.
    var numbers: [Int] { events.compactMap { ($0["event"] as? [String: Any])?["n"] as? Int } }
    var events: [[String: Any]] { json["events"] as? [[String: Any]] ?? [] }
    var count: Int? { json["count"] as? Int }
}
