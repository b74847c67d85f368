import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// What holds for every connection, below the routes.
///
/// - There are so many connections at most. One more gets one answer, 503, and is closed.
/// - A request ends in time. ``BodyReader`` limits bodies that are read; this also limits what isn't read: bodies of
///   requests that are refused, or that are sent where none is expected.
/// - A request that was answered before its end, because it was refused, has a short time to end. Then the connection
///   is closed (RFC 9112, section 9.6).
/// - A client that asks before it sends a body (`Expect: 100-continue`) gets the answer `100 Continue`.
/// - The connection of a client of HTTP/1.0 is closed after the answer.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let timeout: TimeAmount
    private let place: Reservation
    /// Whether there are too many connections.
    private var isRefused = false
    /// Whether a request hasn't ended.
    private var isReading = false
    /// How many requests haven't been answered.
    private var unanswered = 0
    /// Whether the connection ends with the answer that is being written.
    private var isLast = false
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - timeout: From the head of a request to its end.
    ///   - connections: How many there may be.
    init(_ timeout: Duration, of connections: Slots) {
        self.timeout = TimeAmount(timeout)
        place = Reservation(of: connections)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        isRefused = !place.take(1)
        let pipeline = context.pipeline.syncOperations
        // The types of requests don't tell the version any more.
        if let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) {
            try? pipeline.addHandler(ClosingHandler(), position: .before(codec))
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        place.release()
        timer?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if isRefused {
            if case .head = part { refuse(context) }
            return
        }
        if case .head(let head) = part {
            isReading = true
            unanswered += 1
            // Between the parts of an earlier answer it would be a part of that.
            if head.headerFields[.expect]?.lowercased() == "100-continue", unanswered == 1 {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
        } else if case .end = part {
            isReading = false
            timer?.cancel()
            timer = nil
            // It was answered already.
            if isLast && unanswered == 0 { return context.close(promise: nil) }
        }
        context.fireChannelRead(data)
    }

    /// Most requests arrive at once, and need no timer.
    func channelReadComplete(context: ChannelHandlerContext) {
        if isReading && timer == nil { close(context, after: timeout) }
        context.fireChannelReadComplete()
    }

    private func close(_ context: ChannelHandlerContext, after time: TimeAmount) {
        let channel = context.channel
        timer?.cancel()
        timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    private func refuse(_ context: ChannelHandlerContext) {
        let answer = Problem(
            .serviceUnavailable, "too-many-connections", "there are too many connections: try again", retryAfter: 5
        ).closing
        let response = answer.response
        let channel = context.channel
        context.write(wrapOutboundOut(.head(response.head)), promise: nil)
        context.write(wrapOutboundOut(.body(answer.body)), promise: nil)
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if isReading { head.headerFields[.connection] = "close" }
            isLast = head.headerFields[.connection] == "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            unanswered -= 1
            context.write(data, promise: promise)
            // What has been written is on its way, and the client may still be sending.
            if isLast { close(context, after: isReading ? .seconds(2) : .milliseconds(100)) }
        }
    }
}

/// Marks requests after which the client expects the connection to be closed: the server knows only one spelling.
private final class ClosingHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), head.version == .http1_0 || !head.isKeepAlive else {
            return context.fireChannelRead(data)
        }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
