import AsyncAlgorithms
import Foundation
import HTTPTypes
import Heartwood
import Hummingbird
import NIOCore
import ServiceLifecycle

/// Answers a request with a stream of server-sent events.
struct ServerSentEvents: Sendable {
    let slots: Slots
    let heartbeat: Duration

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
            throw Problem(.serviceUnavailable, "too-many-streams", "there are too many open streams", retryAfter: 10)
        }
        let channel = context.channel
        let body = ResponseBody { writer in
            defer { slot.release() }
            try await withGracefulShutdownHandler {
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
                    try await relay(to: &writer, produce)
                }
                try await writer.finish(nil)
            } onGracefulShutdown: {
                // A client that takes nothing would hold up the shutdown: the end can't be written to it.
                channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
            }
        }
        let headers: HTTPFields = [.contentType: "text/event-stream", HTTPField.Name("X-Accel-Buffering")!: "no"]
        return Response(status: .ok, headers: headers, body: body)
    }

    private func relay(
        to writer: inout any ResponseBodyWriter, _ produce: @escaping @Sendable (Output) async throws -> Void
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
                    await output.send(ByteBuffer(string: ": still here\n\n"))
                }
            }
            for try await part in output.cancelOnGracefulShutdown() { try await writer.write(part) }
            group.cancelAll()
        }
    }
}

/// A place in the stream of events: a position of the store's feed, and how many events of the next batch came.
///
/// A position counts whole batches. With the number, a client that comes back in the middle of a batch gets no event
/// twice. Its text is the `id:` of a server-sent event: `POSITION` or `POSITION+NUMBER`.
struct StreamPosition: Equatable, LosslessStringConvertible {
    var position: ChangePosition
    var delivered = 0

    init(_ position: ChangePosition, delivered: Int = 0) { (self.position, self.delivered) = (position, delivered) }

    init?(_ text: String) {
        let parts = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        guard let position = ChangePosition(String(parts[0])) else { return nil }
        self.init(position)
        if parts.count == 2 {
            // No batch has more events than that.
            guard let number = Int(parts[1]), 1..<(1 << 32) ~= number else { return nil }
            delivered = number
        }
    }

    var description: String { delivered == 0 ? "\(position)" : "\(position)+\(delivered)" }
}

/// Makes the text of server-sent events from the changes of a store.
struct EventFrames {
    /// Only events of this type.
    let type: String?
    /// After the last change that was given.
    private(set) var position: StreamPosition
    /// Whether the position has moved on since the client was told one.
    private var hasMoved = false
    /// How many events of the next batch the client already has.
    private var skipped: Int

    init(type: String?, after position: StreamPosition) {
        (self.type, self.position, skipped) = (type, position, position.delivered)
    }

    /// Appends the event of a change, unless it is of another type, or the client has it.
    mutating func append(_ change: Change, to text: inout [UInt8]) {
        let before = position.position == change.position ? position.delivered : 0
        position = StreamPosition(change.position, delivered: change.isLastOfBatch ? 0 : before + 1)
        hasMoved = true
        let isKnown = skipped > 0
        skipped = change.isLastOfBatch ? 0 : max(0, skipped - 1)
        guard !isKnown, let object = change.value, type == nil || type == Self.type(object) else { return }
        text.append(contentsOf: "id: \(position)\ndata: ".utf8)
        let start = text.count
        StoredEvent(id: EventID(bytes: change.key), object: object).append(to: &text)
        // Line breaks between the parts of an object would end the line.
        for index in start..<text.count where text[index] == 0x0A || text[index] == 0x0D { text[index] = 0x20 }
        text.append(contentsOf: "\n\n".utf8)
        hasMoved = false
    }

    /// Tells the position after events that the client doesn't get, so that it doesn't fall back behind them.
    mutating func appendPosition(to text: inout [UInt8]) {
        if hasMoved { text.append(contentsOf: "id: \(position)\n\n".utf8) }
        hasMoved = false
    }

    /// The type of an event's object.
    static func type(_ object: [UInt8]) -> String? {
        var scanner = EventScanner(object)
        return try? scanner.event().type
    }
}

/// `GET /events/stream`: the events as they come, from the store's change feed.
///
/// A client continues with `Last-Event-ID`, also after a restart of the service: the feed reads the log, or the history
/// of the cluster. If what comes after that position was compacted away, the client gets an event "reset".
struct EventStream {
    let store: (any KeyValueStore)?
    let events: ServerSentEvents

    func get(_ request: Request, _ context: CollectorContext) async throws -> Response {
        guard let store else { throw Problem.noStore }
        let type = request.uri.queryParameters["type"].map(String.init)
        let text = request.headers[.lastEventID] ?? request.uri.queryParameters["after"].map(String.init)
        let start = if let text { StreamPosition(text) } else { StreamPosition(try await store.readView().position) }
        return try events.response(to: request, context) { output in
            var position: StreamPosition
            if let start {
                position = start
            } else {
                position = await Self.reset(
                    to: try await store.readView().position, "the position can't be read", output)
            }
            while true {
                do {
                    return try await Self.follow(store, after: position, type: type, output)
                } catch let error as StoreError where error.code == .positionUnavailable {
                    // A cluster may have compacted what comes after the position of a restart, too.
                    let restart = error.restart == position.position ? nil : error.restart
                    let next = if let restart { restart } else { try await store.readView().position }
                    position = await Self.reset(to: next, error.message, output)
                }
            }
        }
    }

    private static func reset(
        to position: ChangePosition, _ reason: String, _ output: ServerSentEvents.Output
    ) async -> StreamPosition {
        let data = try? JSONEncoder().encode(["position": "\(position)", "reason": reason])
        let text = String(decoding: data ?? Data(), as: UTF8.self)
        await output.send(ByteBuffer(string: "event: reset\nid: \(position)\ndata: \(text)\n\n"))
        return StreamPosition(position)
    }

    private static func follow(
        _ store: any KeyValueStore, after start: StreamPosition, type: String?, _ output: ServerSentEvents.Output
    ) async throws {
        await output.send(ByteBuffer(string: "id: \(start)\n\n"))
        var frames = EventFrames(type: type, after: start)
        var text: [UInt8] = []
        for try await change in store.changes(after: start.position, in: Keys.events, level: .durable) {
            frames.append(change, to: &text)
            // A part is sent at the end of a batch, or when it is large.
            guard change.isLastOfBatch || text.count >= 64 << 10 else { continue }
            frames.appendPosition(to: &text)
            await output.send(ByteBuffer(bytes: text))
            text = []
        }
    }
}
