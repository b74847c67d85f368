import AsyncAlgorithms
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// Answers a request with a stream of server-sent events.
struct ServerSentEvents: Sendable {
    let slots: Slots
    let heartbeat: Duration

    private static let beat = ByteBuffer(string: ": still here\n\n")
    private static let retry = ByteBuffer(string: "retry: 2000\n\n")

    /// The channel to the client. What is sent waits until the client has taken what was sent before, so a slow client
    /// takes no memory: at most one part waits, and what the connection buffers.
    typealias Output = AsyncChannel<ByteBuffer>

    /// Starts a stream. It ends when `produce` returns or throws, when the client goes, and at graceful shutdown.
    ///
    /// - Throws: A problem if there are too many streams.
    func response(
        to request: Request, _ context: CollectorContext, produce: @escaping @Sendable (Output) async throws -> Void
    ) throws -> Response {
        let slot = Reservation(of: slots)
        guard slot.take(1) else {
            throw Problem(.serviceUnavailable, "too-many-streams", "there are too many open streams").retry(after: 10)
        }
        let (heartbeat, channel) = (heartbeat, context.channel)
        let body = ResponseBody { writer in
            defer { slot.release() }
            try await withGracefulShutdownHandler {
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await writer.write(Self.retry)
                    try await Self.relay(to: &writer, heartbeat, produce)
                }
                try await writer.finish(nil)
            } onGracefulShutdown: {
                // A client that takes nothing would hold up the shutdown: the end can't be written to it.
                channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
            }
        }
        let headers: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store", HTTPField.Name("X-Accel-Buffering")!: "no",
        ]
        return Response(status: .ok, headers: headers, body: body)
    }

    private static func relay(
        to writer: inout any ResponseBodyWriter, _ heartbeat: Duration,
        _ produce: @escaping @Sendable (Output) async throws -> Void
    ) async throws {
        let output = Output()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { output.finish() }
                try await produce(output)
            }
            group.addTask {
                while true {
                    try await Task.sleep(for: heartbeat)
                    await output.send(beat)
                }
            }
            for try await part in output.cancelOnGracefulShutdown() { try await writer.write(part) }
            group.cancelAll()
        }
    }
}
