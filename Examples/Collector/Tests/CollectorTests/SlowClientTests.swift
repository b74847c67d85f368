import HTTPTypes
import Heartwood
import Hummingbird
import HummingbirdTesting
import NIOCore
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
        let request = Request(head: head, body: RequestBody(asyncSequence: stream))
        return try await reader.read(request, in: Reservation(of: reader.buffers.slots))
    }

    @Test func aBodyIsPutTogether() async throws {
        let reader = BodyReader(maximumBytes: 6, timeout: .seconds(60), buffers: Buffers(bytes: 1 << 20))
        #expect(try await read(reader, parts: ["ab", "", "cd", "ef"]) == ByteBuffer(string: "abcdef"))
        #expect(try await read(reader, declared: 6, parts: ["ab", "cdef"]) == ByteBuffer(string: "abcdef"))
        #expect(try await read(reader, parts: []) == ByteBuffer())
    }

    @Test func aBodyThatIsTooLargeIsNotRead() async throws {
        let reader = BodyReader(maximumBytes: 6, timeout: .seconds(60), buffers: Buffers(bytes: 1 << 20))
        for (declared, parts) in [(7, ["a"]), (nil, ["abcd", "efg"]), (6, ["abcdefg"])] {
            let error = await #expect(throws: Problem.self) { try await read(reader, declared: declared, parts: parts) }
            #expect(error?.status == .contentTooLarge)
            #expect(error?.headers[.connection] == "close")
        }
    }

    @Test func aBodyThatTakesTooLongIsRefused() async throws {
        let reader = BodyReader(maximumBytes: 100, timeout: .zero, buffers: Buffers(bytes: 1 << 20))
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
}
