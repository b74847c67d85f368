import HTTPTypes
import Heartwood
import Hummingbird
import HummingbirdCore
import HummingbirdTesting
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import collector
@testable import collector_fuzz

/// What holds for each connection, whatever its requests ask for: requests that don't end, that are answered before
/// their end, or that are no HTTP.
@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
    @Suite struct HandlerTests {
        private let slots = Slots(1)
        private let channel: EmbeddedChannel
        private let head = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"))
        private let part = HTTPRequestPart.body(ByteBuffer(string: "a"))

        init() throws {
            channel = EmbeddedChannel(handler: ConnectionHandler(.seconds(10), of: slots))
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
        }

        private func receive(_ parts: HTTPRequestPart...) {
            for part in parts { channel.pipeline.fireChannelRead(part) }
            channel.pipeline.fireChannelReadComplete()
        }

        private func answer(_ status: HTTPResponse.Status) throws -> HTTPResponse? {
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: status)))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
            return try sent()
        }

        private func sent() throws -> HTTPResponse? {
            guard case .head(let head)? = try channel.readOutbound(as: HTTPResponsePart.self) else { return nil }
            return head
        }

        private func isOpen(after time: TimeAmount) -> Bool {
            channel.embeddedEventLoop.advanceTime(by: time)
            return channel.isActive
        }

        @Test func aRequestThatEndsInTimeIsServed() throws {
            receive(head, part, .end(nil))
            #expect(try answer(.ok)?.headerFields[.connection] == nil)
            #expect(isOpen(after: .seconds(60)))
            receive(head)
            #expect(isOpen(after: .seconds(9)))
            receive(part)
            receive(.end(nil))
            #expect(isOpen(after: .seconds(60)))
            // The next one has its own time.
            receive(head)
            #expect(isOpen(after: .seconds(9)))
        }

        @Test func aRequestThatDripsIsCutOff() throws {
            receive(head)
            for _ in 0..<9 {
                #expect(isOpen(after: .seconds(1)))
                receive(part)
            }
            #expect(!isOpen(after: .seconds(1)))
        }

        @Test func aBodyWithoutAnEndIsNotReadLongAfterItsAnswer() throws {
            receive(head, part)
            #expect(try answer(.notFound)?.headerFields[.connection] == "close")
            for isExpected in [true, true, false] {
                receive(part)
                #expect(isOpen(after: .milliseconds(700)) == isExpected)
            }
        }

        @Test func aBodyThatEndsAfterItsAnswerEndsTheConnection() throws {
            receive(head)
            #expect(try answer(.notFound)?.headerFields[.connection] == "close")
            #expect(channel.isActive)
            receive(part, .end(nil))
            #expect(!channel.isActive)
        }

        @Test func aClientThatAsksIsToldToSend() throws {
            var asking = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
            asking.headerFields[.expect] = "100-Continue"
            receive(.head(asking))
            #expect(try sent()?.status == .continue)
            receive(part, .end(nil))
            #expect(try answer(.ok)?.status == .ok)
            // A second request, before the answer to the first.
            receive(head, .end(nil), .head(asking))
            _ = try channel.readOutbound(as: HTTPResponsePart.self)
            #expect(try sent() == nil)
        }

        @Test func oneConnectionTooManyIsRefused() throws {
            let other = EmbeddedChannel(handler: ConnectionHandler(.seconds(10), of: slots))
            try other.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
            other.pipeline.fireChannelRead(head)
            guard case .head(let answer)? = try other.readOutbound(as: HTTPResponsePart.self) else {
                Issue.record("no answer")
                return
            }
            #expect(answer.status == .serviceUnavailable && answer.headerFields[.retryAfter] == "5")
            #expect(try other.readInbound(as: HTTPRequestPart.self) == nil)
            #expect(!other.isActive)
            _ = try channel.finish()
            #expect(slots.count == 0)
        }
    }

    /// The service closes the connection after its answer, although what ends an idle one would be too late.
    @Test(arguments: [
        ("GET /health HTTP/1.0\r\n\r\n", "200 OK", #"{"status":"alive"}"#),
        ("GET /health HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n", "200 OK", #"{"status":"alive"}"#),
        ("POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc", "404 Not Found", "http-404"),
        ("POST /events HTTP/1.1\r\n$\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nabc\r\n", "400", "unreadable-request"),
        ("POST /events HTTP/1.1\r\n$\r\nTransfer-Encoding: gzip\r\n\r\nabc", "400", "unreadable-request"),
        (
            "POST /events HTTP/1.1\r\n$\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\na\r\n", "400",
            "unreadable-request"
        ),
    ])
    func theLastAnswerEndsTheConnection(_ request: String, _ status: String, _ text: String) async throws {
        let fixture = Fixture().with { ($0.idleTimeout, $0.bodyTimeout) = (.seconds(3_600), .seconds(3_600)) }
        let headers = "Host: a\r\nAuthorization: Bearer \(Fixture.write)\r\nContent-Type: application/json"
        try await fixture.run(.live) { client, _, store in
            let run = HostileRun(port: try #require(client.port), writeToken: "", readToken: "")
            let bytes = Array(request.replacing("$", with: headers).utf8)
            let answer = try await run.exchange(.init(bytes: bytes), untilClosed: true)
            #expect(answer.hasPrefix("HTTP/1.1 \(status)") && answer.contains(text), "\(answer)")
            #expect(status == "200 OK" || answer.contains("Connection: close"))
            #expect(try await store.eventCount == 0)
        }
    }

    /// Bodies in parts, of which the length may be declared.
    @Test(
        arguments: [
            (nil, ["ab", "", "cd", "ef"], 60, nil), (6, ["ab", "cdef"], 60, nil), (nil, [], 60, nil),
            (7, ["a"], 60, .contentTooLarge), (nil, ["abcd", "efg"], 60, .contentTooLarge),
            (6, ["abcdefg"], 60, .contentTooLarge), (nil, ["a", "b", "c"], 0, .requestTimeout),
        ] as [(Int?, [String], Int, HTTPResponse.Status?)])
    func bodiesAreReadWithinLimits(
        _ declared: Int?, _ parts: [String], _ seconds: Int, _ refused: HTTPResponse.Status?
    ) async throws {
        let stream = AsyncStream<ByteBuffer> { continuation in
            for part in parts { continuation.yield(ByteBuffer(string: part)) }
            continuation.finish()
        }
        var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/events")
        head.headerFields[.contentLength] = declared.map { "\($0)" }
        let request = Request(head: head, body: RequestBody(asyncSequence: stream))
        let reader = BodyReader(maximumBytes: 6, timeout: .seconds(seconds), memory: Slots(12))
        do {
            let body = try await reader.read(request, in: Reservation(of: reader.memory))
            #expect(refused == nil && body == ByteBuffer(string: parts.joined()))
        } catch let problem as Problem {
            #expect(problem.status == refused && problem.headers[.connection] == "close")
        }
        #expect(reader.memory.count == 0)
    }

    @Test func bodiesAndAnswersTakeNoMoreMemoryThanTheyMay() async throws {
        try await Fixture().with { $0.maximumBufferedBytes = 100_000 }.run { client, collector, _ in
            let large = "{\"type\":\"a\",\"x\":\"\(String(repeating: "x", count: 40_000))\"}"
            for _ in 0..<3 { #expect(try await client.post(large).status == .created) }
            let reservation = Reservation(of: collector.memory)
            #expect(reservation.take(30_000))
            for answer in [try await client.post(large), try await client.read("/events")] {
                #expect(answer.status == .serviceUnavailable && answer.code == "too-much-memory")
            }
            reservation.release()
            #expect(try await client.read("/events?limit=2").status == .ok)
            #expect(collector.memory.count == 0)
        }
    }

    /// Random requests, from fixed seeds. `Examples/Collector/trials hostile` sends them for as long as one likes.
    @Test(arguments: 1...8 as ClosedRange<UInt64>) func noHostileRequestIsAnErrorOfTheService(_ seed: UInt64)
        async throws
    {
        // The connection of the test's own client is idle meanwhile.
        try await Fixture().with { $0.idleTimeout = .seconds(3_600) }.run(.live) { client, _, _ in
            let run = HostileRun(port: try #require(client.port), writeToken: Fixture.write, readToken: Fixture.read)
            let kept = try await client.post().ids
            let result = await run.run(seed: seed) { $0 < 150 }
            for failure in result.failures {
                Issue.record("\(String(decoding: failure.request, as: UTF8.self)): \(failure.answer)")
            }
            // How many of the random events are acknowledged depends on time.
            for id in result.acknowledged.union(kept) {
                #expect(try await client.read("/events/\(id)").status == .ok)
            }
            #expect(try await client.post().status == .created)
        }
    }
}
