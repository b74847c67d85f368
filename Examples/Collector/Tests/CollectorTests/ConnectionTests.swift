import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import NIOPosix
import Testing

@testable import CollectorService

/// What holds for each connection, whatever its requests ask for.
@Suite struct ConnectionTests {
    /// Requests that don't end, or are answered before.
    @Suite struct HandlerTests {
        private let slots = Slots(1)
        private let channel: EmbeddedChannel
        private let head = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"))

        private func receive(_ parts: HTTPRequestPart...) throws {
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

        private func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

        init() throws {
            channel = EmbeddedChannel(handler: ConnectionHandler(.seconds(10), of: slots))
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
        }

        @Test func aRequestThatArrivesAtOnceSetsNoTimer() throws {
            try receive(head, .body(ByteBuffer(string: "a")), .end(nil))
            #expect(try answer(.ok)?.headerFields[.connection] == nil)
            pass(.seconds(60))
            #expect(channel.isActive)
        }

        @Test func aRequestThatEndsInTimeIsServed() throws {
            try receive(head)
            pass(.seconds(9))
            try receive(.body(ByteBuffer(string: "a")))
            try receive(.end(nil))
            pass(.seconds(60))
            #expect(channel.isActive)
            // The next one has its own time.
            try receive(head)
            pass(.seconds(9))
            #expect(channel.isActive)
        }

        @Test func aRequestThatDripsIsCutOff() throws {
            try receive(head)
            for _ in 0..<9 {
                pass(.seconds(1))
                try receive(.body(ByteBuffer(string: "a")))
            }
            #expect(channel.isActive)
            pass(.seconds(1))
            #expect(!channel.isActive)
        }

        @Test func aBodyWithoutAnEndIsNotReadLongAfterItsAnswer() throws {
            try receive(head, .body(ByteBuffer(string: "a")))
            #expect(try answer(.notFound)?.headerFields[.connection] == "close")
            for _ in 0..<3 {
                #expect(channel.isActive)
                try receive(.body(ByteBuffer(string: "a")))
                pass(.milliseconds(700))
            }
            #expect(!channel.isActive)
        }

        @Test func aBodyThatEndsAfterItsAnswerEndsTheConnection() throws {
            try receive(head)
            #expect(try answer(.notFound)?.headerFields[.connection] == "close")
            #expect(channel.isActive)
            try receive(.body(ByteBuffer(string: "a")), .end(nil))
            #expect(!channel.isActive)
        }

        @Test func aClientThatAsksIsToldToSend() throws {
            var asking = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
            asking.headerFields[.expect] = "100-Continue"
            try receive(.head(asking))
            #expect(try sent()?.status == .continue)
            try receive(.body(ByteBuffer(string: "a")), .end(nil))
            #expect(try answer(.ok)?.status == .ok)
            // A second request, before the answer to the first.
            try receive(head, .end(nil), .head(asking))
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

    /// Sends bytes to a service, and returns what comes until it closes the connection.
    private func send(_ request: String, port: Int) async throws -> String {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var answer = ""
            for try await part in inbound { answer += String(buffer: part) }
            return answer
        }
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["GET /health HTTP/1.0\r\n\r\n", "GET /health HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n"])
    func aClientThatWantsTheEndOfTheConnectionGetsIt(_ request: String) async throws {
        var fixture = Fixture()
        // What ends an idle connection would be too late.
        (fixture.settings.idleTimeout, fixture.settings.bodyTimeout) = (.seconds(3_600), .seconds(3_600))
        try await fixture.run(.live) { client, _ in
            let answer = try await send(request, port: try #require(client.port))
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix(#"{"status":"alive"}"#), "\(answer)")
        }
    }

    @Test(.timeLimit(.minutes(1))) func anEndlessBodyToAWrongPathIsCutOff() async throws {
        var fixture = Fixture()
        (fixture.settings.idleTimeout, fixture.settings.bodyTimeout) = (.seconds(3_600), .seconds(3_600))
        try await fixture.run(.live) { client, _ in
            let request = "POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc"
            let answer = try await send(request, port: try #require(client.port))
            #expect(answer.hasPrefix("HTTP/1.1 404") && answer.contains("Connection: close"), "\(answer)")
        }
    }

    @Test func wrongTokensAreLimited() async throws {
        var fixture = Fixture()
        fixture.settings.refusalsPerSecond = 1
        try await fixture.run { client, _ in
            let headers: HTTPFields = [.authorization: "Bearer not-a-token-of-this"]
            var statuses: Set<Int> = []
            for _ in 0..<200 {
                let answer = try await client.executeRequest(
                    uri: "/events", method: .get, headers: headers, body: nil)
                statuses.insert(answer.status.code)
                if answer.status == .tooManyRequests { #expect(answer.headers[.connection] == "close") }
            }
            #expect(statuses == [401, 429])
            // Others aren't held up.
            #expect(try await client.read("/events").status == .ok)
        }
    }
}
