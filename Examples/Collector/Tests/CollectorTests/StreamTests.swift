import AsyncHTTPClient
import HTTPTypes
import Heartwood
import HummingbirdTesting
import KeyValueStoreTesting
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Testing

@testable import collector

/// Streams over real connections.
@Suite(.timeLimit(.minutes(10))) struct StreamTests {
    private static func event(_ number: Int, _ type: String = "a") -> String {
        "{\"type\":\"\(type)\",\"n\":\(number)}"
    }

    @Test(arguments: [Fixture(), Fixture(.gentle)])
    func eventsComeAndAStreamContinuesAfterARestart(_ fixture: Fixture) async throws {
        let position = try await fixture.run(.live) { client, _, _ in
            let position = try await client.stream { reader in
                #expect(await reader.next("retry: ") == "2000")
                _ = await reader.next("id: ")
                _ = try await client.post(Self.event(1) + "\n" + Self.event(2))
                #expect(await reader.next("data: ")?.contains("\"n\":1") == true)
                let position = await reader.next("id: ")
                #expect(await reader.next("data: ")?.contains("\"n\":2") == true)
                return position
            }
            _ = try await client.post(Self.event(3))
            return position
        }
        try await fixture.run(.live) { client, _, _ in
            try await client.stream(after: position) { reader in
                #expect(await reader.next("data: ")?.contains("\"n\":3") == true)
                _ = try await client.post(Self.event(4))
                #expect(await reader.next("data: ")?.contains("\"n\":4") == true)
            }
        }
    }

    /// From each position, exactly the events after it come, also within a batch. Another type only moves the position.
    @Test func aStreamContinuesInTheMiddleOfABatch() async throws {
        try await Fixture().run(.live) { client, _, store in
            let start = "\(try await store.readView().position)"
            for batch in [[1], [2, 3, 4], [5, 6]] {
                _ = try await client.post(
                    batch.map { Self.event($0, $0 == 5 ? "b" : "\\u0061") }.joined(separator: "\n"))
            }
            _ = try await client.post("[{\"type\":\"b\",\"n\":7},{\n\"type\":\r\n\"b\"}]", type: "application/json")
            let ids = try await client.stream(after: start) { reader in
                var ids = [try #require(await reader.next("id: "))]
                for _ in 0..<6 { ids.append(try #require(await reader.next("id: "))) }
                _ = await reader.next("data: ")
                #expect(await reader.next("data: ")?.contains("\"n\":7") == true)
                let last = await reader.next("data: ")
                #expect(last?.hasSuffix(#","event":{ "type":  "b"}}"#) == true, "a line break would end the data")
                return ids
            }
            #expect(ids.filter { $0.contains("+") }.count == 3 && Set(ids).count == 7)
            for (index, id) in ids.enumerated() {
                try await client.stream("/events/stream?after=\(id.replacing("+", with: "%2B"))") { reader in
                    for number in (index + 1)..<8 {
                        #expect(await reader.next("data: ")?.contains("\"n\":\(number)") == true, "after \(id)")
                    }
                }
            }
            try await client.stream("/events/stream?type=b", after: start) { reader in
                let moved = await reader.next("id: ")
                #expect(moved == start)
                #expect(await reader.next("id: ") == ids[1])
                #expect(await reader.next("id: ") == ids[4])
                #expect(await reader.next("data: ")?.contains("\"n\":5") == true)
            }
        }
    }

    @Test(arguments: [
        "", "x", "+1", "00112233445566778899aabbccddeeff-42+", "00112233445566778899aabbccddeeff-42+0",
        "00112233445566778899aabbccddeeff-42+1+1", "00112233445566778899aabbccddeeff-42+-1",
        "00112233445566778899aabbccddeeff-42+9223372036854775807", "00112233445566778899aabbccddeeff-42+4294967296",
    ])
    func otherPositionsAreRefused(_ text: String) { #expect(StreamPosition(text) == nil) }

    @Test func anUnavailablePositionResetsTheStream() async throws {
        try await Fixture(on: .inMemory()).run(.live) { client, _, store in
            let store = try #require(store as? Store)
            _ = try await client.post(Self.event(1))
            try await store.compact()
            _ = try await client.post(Self.event(2))
            let gone = [
                "\(store.position.store)-0", "00112233445566778899aabbccddeeff-1", "nonsense",
                "\(store.position)+\(Int.max)",
            ]
            for position in gone { try await expectReset(client, after: position) }
        }
    }

    /// The history of a cluster is compacted by others, and what the service knows of it is old.
    @Test func aStreamContinuesAfterACompactionOfTheCluster() async throws {
        try await Fixture(.gentle).run(.live) { client, _, store in
            let start = "\(try await store.readView().position)"
            _ = try await client.post(Self.event(1))
            try await #require(store as? ConstrainedStore).compact()
            try await expectReset(client, after: start)
        }
    }

    private func expectReset(_ client: any TestClientProtocol, after position: String) async throws {
        try await client.stream(after: position) { reader in
            #expect(await reader.next("event: ") == "reset")
            let id = try #require(await reader.next("id: "))
            #expect(StreamPosition(id) != nil)
            #expect(await reader.next("data: ")?.contains("\"position\":\"\(id)\"") == true)
            _ = try await client.post(Self.event(3))
            #expect(await reader.next("data: ")?.contains("\"event\":") == true)
        }
    }

    @Test func anIdleStreamSendsHeartbeatsAndEndsAtShutdown() async throws {
        let stream = try await Fixture().with { $0.heartbeat = .milliseconds(20) }.run(.live) { client, _, _ in
            let (ready, signal) = AsyncStream.makeStream(of: Void.self)
            let stream = Task {
                try await client.stream { reader in
                    #expect(await reader.next(": ") == "still here")
                    signal.finish()
                    // Until the server ends it.
                    while await reader.next("") != nil {}
                }
            }
            for await _ in ready {}
            return stream
        }
        try await stream.value
    }

    /// Hangs if such a client holds up the shutdown.
    @Test func aClientThatReadsNothingDoesNotHoldUpTheShutdown() async throws {
        let response = try await Fixture().run(.live) { client, _, _ in
            let port = try #require(client.port)
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/events/stream")
            request.headers.add(name: "Authorization", value: "Bearer \(Fixture.read)")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            let event = "{\"type\":\"a\",\"x\":\"\(String(repeating: "x", count: 60_000))\"}\n"
            for _ in 0..<4 { _ = try await client.post(String(repeating: event, count: 100)) }
            // Its connection is open until the service has ended.
            return response
        }
        #expect(response.status == .ok)
    }

    @Test func streamsAreLimitedAndReleased() async throws {
        let fixture = Fixture().with { ($0.maximumStreams, $0.heartbeat) = (1, .milliseconds(20)) }
        try await fixture.run(.live) { client, _, _ in
            try await client.stream { reader in
                #expect(await reader.next("retry: ") == "2000")
                let refused = try await client.read("/events/stream")
                #expect(refused.status == .serviceUnavailable && refused.code == "too-many-streams")
            }
            // The slot is free again as soon as the service has seen that the client is gone.
            while !(try await client.read("/metrics").text.contains("collector_streams 0")) {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    @Test func samplesComeAsTheyAreTaken() async throws {
        try await Fixture().run(.live) { client, collector, store in
            try await client.stream("/stats/stream") { reader in
                #expect(await reader.next("retry: ") == "2000")
                _ = try await client.post()
                // Until the stream has begun, nothing receives a sample.
                let sampling = Task {
                    while !Task.isCancelled {
                        collector.sampler.sample()
                        try await Task.sleep(for: .milliseconds(5))
                    }
                }
                #expect(await reader.next("data: ")?.contains("\"events\":1") == true)
                sampling.cancel()
            }
            let samples = try await client.read("/stats").text
            #expect(samples.contains(#""types":{"a":1}"#) && samples.contains("\"keys\":") == (store is Store))
        }
    }

    /// The services themselves: their end by a graceful shutdown is no error.
    @Test func theServiceEndsWithoutAnError() async throws {
        let fixture = Fixture()
        let store = try await fixture.open()
        let collector = try await fixture.collector(store)
        let group = try collector.serviceGroup()
        let running = Task { try await group.run() }
        while collector.sampler.samples.isEmpty { await Task.yield() }
        await group.triggerGracefulShutdown()
        try await running.value
        // It is closed by the caller.
        _ = try await store.readView()
        try await store.end()
    }
}
