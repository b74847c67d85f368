import NIOCore
import NIOHTTPTypes

/// Closes a connection on which a request doesn't end in time.
///
/// ``BodyReader`` limits bodies that are read. This also limits what isn't read: bodies of requests that are refused,
/// or that are sent where none is expected. A client could otherwise hold a connection with a byte from time to time.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let timeout: TimeAmount
    private var isReading = false
    private var timer: Scheduled<Void>?

    /// - Parameter timeout: From the head of a request to its end.
    init(_ timeout: Duration) { self.timeout = TimeAmount(timeout) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: isReading = true
        case .body: break
        case .end:
            isReading = false
            timer?.cancel()
            timer = nil
        }
        context.fireChannelRead(data)
    }

    /// Most requests arrive at once, and need no timer.
    func channelReadComplete(context: ChannelHandlerContext) {
        if isReading && timer == nil {
            let channel = context.channel
            timer = context.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        }
        context.fireChannelReadComplete()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }
}
