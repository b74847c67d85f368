#if Etcd
import NIOCore
import NIOHTTP2

/// Answers the pings by which etcd's gRPC library measures a connection, before NIO's HTTP/2 sees them.
///
/// grpc-go sends one with nearly each request that it receives, always with the same eight bytes. NIO closes a
/// connection with more than 200 control frames in 30 seconds (swift-nio-http2 1.46), which grpc-swift can't change: a
/// client that calls more often would lose its connection again and again.
final class PingAnswerer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The payload of such a ping (grpc-go's bdp_estimator.go).
    private static let payload: [UInt8] = [2, 4, 16, 16, 9, 14, 7, 7]
    /// A frame: the payload's length in three bytes, type 6, its flags, the stream 0.
    private static let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0] + payload
    private static let answer = ByteBuffer(bytes: [0, 0, 8, 6, 1, 0, 0, 0, 0] + payload)

    /// Bytes of the frame under way that are still to come.
    private var rest = 0
    /// A frame's first bytes, if they are too few to say what it is.
    private var beginning = ByteBuffer()

    /// Adds it to a connection of gRPC.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let http2 = try channel.pipeline.syncOperations.handler(type: NIOHTTP2Handler.self)
            try channel.pipeline.syncOperations.addHandler(PingAnswerer(), position: .before(http2))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if beginning.readableBytes > 0 {
            beginning.writeBuffer(&bytes)
            (bytes, beginning) = (beginning, ByteBuffer())
        }
        var (position, pings) = (bytes.readerIndex, 0)
        while position < bytes.writerIndex {
            if rest == 0 {
                guard let length = bytes.getInteger(at: position, as: UInt32.self).map({ Int($0 >> 8) }),
                    bytes.writerIndex - position >= Self.ping.count || !Self.mayBePing(bytes, position)
                else {
                    beginning = bytes.getSlice(at: position, length: bytes.writerIndex - position) ?? ByteBuffer()
                    bytes.moveWriterIndex(to: position)
                    break
                }
                if Self.mayBePing(bytes, position) {
                    pass(bytes.readSlice(length: position - bytes.readerIndex), context)
                    bytes.moveReaderIndex(forwardBy: Self.ping.count)
                    position = bytes.readerIndex
                    pings += 1
                    continue
                }
                rest = 9 + length
            }
            let part = min(rest, bytes.writerIndex - position)
            position += part
            rest -= part
        }
        pass(bytes, context)
        for _ in 0..<pings { context.write(wrapOutboundOut(Self.answer), promise: nil) }
        if pings > 0 { context.flush() }
    }

    private func pass(_ bytes: ByteBuffer?, _ context: ChannelHandlerContext) {
        if let bytes, bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
    }

    /// Whether the bytes from a position on begin as such a ping, as far as they are there.
    private static func mayBePing(_ bytes: ByteBuffer, _ position: Int) -> Bool {
        let count = min(ping.count, bytes.writerIndex - position)
        return bytes.viewBytes(at: position, length: count)?.elementsEqual(ping[..<count]) ?? false
    }
}
#endif
