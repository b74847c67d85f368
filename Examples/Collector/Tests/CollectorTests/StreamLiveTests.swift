import AsyncHTTPClient
import Foundation
import HTTPTypes
import Heartwood
import HeartwoodFileSystem
import Hummingbird
import HummingbirdTesting
import KeyValueStoreTesting
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Testing

@testable import CollectorService

/// Streams over real connections.
@Suite struct StreamLiveTests {
    /// The fields of a stream's events as they come.
    private struct Reader {
        var lines: AsyncStream<String>.Iterator

        /// The next line that begins so.
        mutating func next(_ prefix: String) async -> String? {
            while let line = await lines.next() {
                if line.hasPrefix(prefix) { return String(line.dropFirst(prefix.count)) }
            }
            return nil
        }
    }

    /// Opens a stream, and calls `body` with its lines. The connection is closed afterwards.
    private func stream(
        _ client: any TestClientProtocol, _ uri: String, after: String? = nil,
        _ body: @Sendable @escaping (inout Reader) async throws -> Void
    ) async throws {
        let port = try #require(client.port)
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(uri)")
        request.headers.add(name: "Authorization", value: "Bearer \(Fixture.read)")
        if let after { request.headers.add(name: "Last-Event-ID", value: after) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        #expect(response.status == .ok)
        #expect(response.headers.first(name: "content-type") == "text/event-stream")
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let task = Task {
            defer { continuation.finish() }
            var text = ""
            for try await part in response.body {
                text += String(buffer: part)
                while let end = text.firstIndex(of: "\n") {
                    continuation.yield(String(text[..<end]))
                    text = String(text[text.index(after: end)...])
                }
            }
        }
        var reader = Reader(lines: lines.makeAsyncIterator())
        defer { task.cancel() }
        try await body(&reader)
    }

    @Test(arguments: [Fixture(), Fixture(.gentle)])
    func eventsComeAndAStreamContinuesAfterARestart(_ fixture: Fixture) async throws {
        let position = Position()
        try await fixture.run(.live) { client, _ in
            try await stream(client, "/events/stream") { reader in
                #expect(await reader.next("retry: ") == "2000")
                _ = await reader.next("id: ")
                _ = try await client.post("{\"type\":\"a\",\"n\":1}\n{\"type\":\"a\",\"n\":2}")
                _ = await reader.next("id: ")
                #expect(await reader.next("data: ")?.contains("\"n\":1") == true)
                await position.set(await reader.next("id: "))
                #expect(await reader.next("data: ")?.contains("\"n\":2") == true)
            }
            _ = try await client.post("{\"type\":\"a\",\"n\":3}")
        }
        try await fixture.run(.live) { client, _ in
            try await stream(client, "/events/stream", after: await position.value) { reader in
                #expect(await reader.next("data: ")?.contains("\"n\":3") == true)
                _ = try await client.post("{\"type\":\"b\",\"n\":4}")
                #expect(await reader.next("data: ")?.contains("\"n\":4") == true)
            }
        }
    }

    @Test func anUnavailablePositionResetsTheStream() async throws {
        try await Fixture(on: InMemoryFileSystem()).run(.live) { client, store in
            let store = try #require(store as? Store)
            _ = try await client.post("{\"type\":\"a\",\"n\":1}")
            try await store.compact()
            _ = try await client.post("{\"type\":\"a\",\"n\":2}")
            let gone = [
                "\(store.position.store)-0", "00112233445566778899aabbccddeeff-1", "nonsense",
                "\(store.position)+\(Int.max)",
            ]
            for position in gone {
                try await stream(client, "/events/stream", after: position) { reader in
                    #expect(await reader.next("event: ") == "reset")
                    let id = try #require(await reader.next("id: "))
                    #expect(StreamPosition(id) != nil)
                    #expect(await reader.next("data: ")?.contains("\"position\":\"\(id)\"") == true)
                    _ = try await client.post("{\"type\":\"a\",\"n\":3}")
                    #expect(await reader.next("data: ")?.contains("\"event\":") == true)
                }
            }
        }
    }

    /// The history of a cluster is compacted by others, and what the service knows of it is old.
    @Test func aStreamContinuesAfterACompactionOfTheCluster() async throws {
        let fixture = Fixture(.gentle)
        try await fixture.run(.live) { client, store in
            let start = StreamPosition(try await store.readView().position)
            _ = try await client.post("{\"type\":\"a\",\"n\":1}")
            try await #require(store as? ConstrainedStore).compact()
            try await stream(client, "/events/stream", after: "\(start)") { reader in
                #expect(await reader.next("event: ") == "reset")
                let id = try #require(await reader.next("id: "))
                #expect(await reader.next("data: ")?.contains("\"position\":\"\(id)\"") == true)
                _ = try await client.post("{\"type\":\"a\",\"n\":2}")
                #expect(await reader.next("data: ")?.contains("\"n\":2") == true)
            }
        }
    }

    @Test func anIdleStreamSendsHeartbeatsAndEndsAtShutdown() async throws {
        var fixture = Fixture()
        fixture.settings.heartbeat = .milliseconds(20)
        let ended = Position()
        let tasks = Tasks()
        try await fixture.run(.live) { client, _ in
            let (ready, signal) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await stream(client, "/events/stream") { reader in
                    #expect(await reader.next(": ") == "still here")
                    signal.finish()
                    // The end of the stream, by the server.
                    while await reader.next("") != nil {}
                    await ended.set("ended")
                }
            }
            for await _ in ready {}
            await tasks.add(task)
        }
        try await tasks.finish()
        #expect(await ended.value == "ended")
    }

    /// Hangs if such a client holds up the shutdown.
    @Test(.timeLimit(.minutes(10))) func aClientThatReadsNothingDoesNotHoldUpTheShutdown() async throws {
        // Keeps the connection open until the service has ended.
        let kept = Kept()
        try await Fixture().run(.live) { client, _ in
            let port = try #require(client.port)
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/events/stream")
            request.headers.add(name: "Authorization", value: "Bearer \(Fixture.read)")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            let event = "{\"type\":\"a\",\"x\":\"\(String(repeating: "x", count: 60_000))\"}\n"
            for _ in 0..<4 { _ = try await client.post(String(repeating: event, count: 100)) }
            #expect(response.status == .ok)
            await kept.set(response)
        }
        #expect(await kept.response != nil)
    }

    /// The services themselves: their end by a graceful shutdown is no error.
    @Test(.timeLimit(.minutes(10))) func theServiceEndsWithoutAnError() async throws {
        let fixture = Fixture()
        let store = try await fixture.open()
        let collector = try await fixture.collector(store)
        let group = try collector.serviceGroup(nil)
        let running = Task { try await group.run() }
        while collector.sampler.samples.isEmpty { await Task.yield() }
        await group.triggerGracefulShutdown()
        try await running.value
        // It is closed by the caller.
        _ = try await store.readView()
        try await store.end()
    }

    @Test func streamsAreLimitedAndReleased() async throws {
        var fixture = Fixture()
        fixture.settings.maximumStreams = 1
        fixture.settings.heartbeat = .milliseconds(20)
        try await fixture.run(.live) { client, _ in
            try await stream(client, "/events/stream") { reader in
                #expect(await reader.next("retry: ") == "2000")
                let refused = try await client.read("/events/stream")
                #expect(refused.status == .serviceUnavailable)
                #expect(refused.code == "too-many-streams")
            }
            // The slot is free again as soon as the service has seen that the client is gone.
            var text = ""
            while !text.contains("collector_streams 0") {
                text = try await client.read("/metrics").text
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    @Test func samplesComeAsTheyAreTaken() async throws {
        let fixture = Fixture()
        let store = try await fixture.open()
        let collector = try await fixture.collector(store)
        try await collector.application().test(.live) { client in
            try await stream(client, "/stats/stream") { reader in
                #expect(await reader.next("retry: ") == "2000")
                _ = try await client.post("{\"type\":\"a\"}")
                // Until the service listens, nothing receives a sample.
                let sampling = Task {
                    while !Task.isCancelled {
                        collector.sampler.sample()
                        try await Task.sleep(for: .milliseconds(5))
                    }
                }
                #expect(await reader.next("data: ")?.contains("\"events\":1") == true)
                sampling.cancel()
            }
            let samples = try await client.read("/stats")
            #expect(samples.text.contains(#""types":{"a":1}"#))
        }
        try await store.end()
    }

    private actor Kept {
        var response: HTTPClientResponse?
        func set(_ response: HTTPClientResponse) { self.response = response }
    }

    private actor Position {
        var value: String?
        func set(_ value: String?) { self.value = value }
    }

    private actor Tasks {
        var tasks: [Task<Void, any Error>] = []
        func add(_ task: Task<Void, any Error>) { tasks.append(task) }
        func finish() async throws { for task in tasks { try await task.value } }
    }
}
