import AsyncAlgorithms
import Heartwood
import Hummingbird
import NIOCore

/// `GET /events/stream`: the events as they come, from the store's change feed.
///
/// A client continues with `Last-Event-ID`, also after a restart of the service: the feed reads the log, or the history
/// of the cluster. If what comes after that position was compacted away, the client gets an event "reset".
struct EventStream {
    let store: (any KeyValueStore)?
    let events: ServerSentEvents

    /// A part is sent when it has this many bytes, or at the end of a batch.
    private static let partBytes = 64 << 10

    func get(_ request: Request, _ context: CollectorContext) async throws -> Response {
        guard let store else { throw Problem.noStore }
        let type = request.uri.queryParameters["type"].map(String.init)
        let text = request.headers[.lastEventID] ?? request.uri.queryParameters["after"].map(String.init)
        let start = if let text { StreamPosition(text) } else { StreamPosition(try await store.readView().position) }
        return try events.response(to: request, context) { output in
            try await Self.follow(store, after: start, type: type, output)
        }
    }

    /// - Parameter start: Nil if the client's position can't be read.
    private static func follow(
        _ store: any KeyValueStore, after start: StreamPosition?, type: String?, _ output: ServerSentEvents.Output
    ) async throws {
        var start = start
        if start == nil {
            start = await reset(to: try await store.readView().position, "the position can't be read", output)
        }
        while let position = start {
            start = nil
            var frames = EventFrames(type: type, after: position)
            await output.send(ByteBuffer(string: "id: \(position)\n\n"))
            do {
                let changes = store.changes(after: position.position, in: EventKeys.events, level: .durable)
                try await send(changes, &frames, output)
            } catch let error as StoreError {
                guard error.code == .positionUnavailable else { throw error }
                // A cluster may have compacted what comes after the position of a restart, too.
                let restart = error.restart == position.position ? nil : error.restart
                let next = if let restart { restart } else { try await store.readView().position }
                start = await reset(to: next, error.message, output)
            }
        }
    }

    private static func reset(
        to position: ChangePosition, _ reason: String, _ output: ServerSentEvents.Output
    ) async -> StreamPosition {
        await output.send(ByteBuffer(bytes: EventFrames.reset(to: position, reason: reason)))
        return StreamPosition(position)
    }

    private static func send(
        _ changes: some AsyncSequence<Change, StoreError>, _ frames: inout EventFrames,
        _ output: ServerSentEvents.Output
    ) async throws {
        var text: [UInt8] = []
        for try await change in changes {
            frames.append(change, to: &text)
            guard change.isLastOfBatch || text.count >= partBytes else { continue }
            frames.appendPosition(to: &text)
            await output.send(ByteBuffer(bytes: text))
            text = []
        }
    }
}
