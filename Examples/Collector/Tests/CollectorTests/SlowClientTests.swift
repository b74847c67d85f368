import HTTPTypes
import Heartwood
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import NIOPosix
import Testing

@testable import CollectorService

/// Bodies that come slowly, or not at all.
@Suite struct SlowClientTests {
    private func read(_ reader: BodyReader, declared: Int? = nil, parts: [String], delay: Duration = .zero) async throws
        -> ByteBuffer
    {
        let stream = AsyncStream<ByteBuffer> { continuation in
            Task {
                for part in parts {
                    try? await Task.sleep(for: delay)
                    continuation.yield(ByteBuffer(string: part))
                }
                continuation.finish()
            }
        }
        var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/events")
        if let declared { head.headerFields[.contentLength] = "\(declared)" }
        return try await reader.read(Request(head: head, body: RequestBody(asyncSequence: stream)))
    }

    @Test func aBodyIsPutTogether() async throws {
        let reader = BodyReader(maximumBytes: 6, timeout: .seconds(60))
        #expect(try await read(reader, parts: ["ab", "", "cd", "ef"]) == ByteBuffer(string: "abcdef"))
        #expect(try await read(reader, declared: 6, parts: ["ab", "cdef"]) == ByteBuffer(string: "abcdef"))
        #expect(try await read(reader, parts: []) == ByteBuffer())
    }

    @Test func aBodyThatIsTooLargeIsNotRead() async throws {
        let reader = BodyReader(maximumBytes: 6, timeout: .seconds(60))
        for (declared, parts) in [(7, ["a"]), (nil, ["abcd", "efg"]), (6, ["abcdefg"])] {
            let error = await #expect(throws: Problem.self) { try await read(reader, declared: declared, parts: parts) }
            #expect(error?.status == .contentTooLarge)
            #expect(error?.headers[.connection] == "close")
        }
    }

    @Test func aBodyThatTakesTooLongIsRefused() async throws {
        let reader = BodyReader(maximumBytes: 100, timeout: .zero)
        let error = await #expect(throws: Problem.self) {
            try await read(reader, parts: ["a", "b", "c"], delay: .milliseconds(1))
        }
        #expect(error?.status == .requestTimeout)
        #expect(error?.headers[.connection] == "close")
    }

    /// The faults of clients are no errors of the service.
    @Test(arguments: [
        ("Transfer-Encoding: chunked", "ZZ\r\nabc\r\n"), ("Transfer-Encoding: gzip", "abc"),
        ("Transfer-Encoding: chunked", "FFFFFFFFFFFFFFFFF\r\na\r\n"),
    ])
    func aBodyThatIsNotHTTPIsABadRequest(_ header: String, _ body: String) async throws {
        try await Fixture().run(.live) { client, store in
            let port = try #require(client.port)
            let request = """
                POST /events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Fixture.write)\r
                Content-Type: application/json\r\n\(header)\r\n\r\n\(body)
                """
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
            // The service closes the connection after its answer.
            let answer = try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: request))
                var answer = ByteBuffer()
                for try await part in inbound { answer.writeImmutableBuffer(part) }
                return String(buffer: answer)
            }
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(answer.contains("unreadable-request"))
            #expect(try await store.fetchCount(in: EventKeys.events) == 0)
        }
    }

    /// Connections with requests that don't end.
    @Suite struct RequestDeadlineTests {
        private let channel = EmbeddedChannel(handler: RequestDeadline(.seconds(10)))
        private let head = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"))

        private func receive(_ parts: HTTPRequestPart...) throws {
            for part in parts { channel.pipeline.fireChannelRead(part) }
            channel.pipeline.fireChannelReadComplete()
        }

        init() throws { try channel.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait() }

        @Test func aRequestThatArrivesAtOnceSetsNoTimer() throws {
            try receive(head, .body(ByteBuffer(string: "a")), .end(nil))
            channel.embeddedEventLoop.advanceTime(by: .seconds(60))
            #expect(channel.isActive)
        }

        @Test func aRequestThatEndsInTimeIsServed() throws {
            try receive(head)
            channel.embeddedEventLoop.advanceTime(by: .seconds(9))
            try receive(.body(ByteBuffer(string: "a")))
            try receive(.end(nil))
            channel.embeddedEventLoop.advanceTime(by: .seconds(60))
            #expect(channel.isActive)
            // The next one has its own time.
            try receive(head)
            channel.embeddedEventLoop.advanceTime(by: .seconds(9))
            #expect(channel.isActive)
        }

        @Test func aRequestThatDripsIsCutOff() throws {
            try receive(head)
            for _ in 0..<9 {
                channel.embeddedEventLoop.advanceTime(by: .seconds(1))
                try receive(.body(ByteBuffer(string: "a")))
            }
            #expect(channel.isActive)
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            #expect(!channel.isActive)
        }
    }
}
