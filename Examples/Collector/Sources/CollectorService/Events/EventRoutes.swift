import HTTPTypes
import Heartwood
import Hummingbird
import NIOCore

/// `GET /events`, `/events/count`, `/events/{id}`.
struct EventRoutes {
    let store: (any KeyValueStore)?
    let hasTypeIndex: Bool
    /// The largest event.
    let eventBytes: Int

    func add(to group: RouterGroup<CollectorContext>) {
        group.get("/events") { request, _ in try await list(request) }
        group.get("/events/count") { request, _ in try await count(request) }
        group.get("/events/:id") { _, context in try await event(context) }
    }

    private func archive() throws -> EventArchive {
        guard let store else { throw Problem.noStore }
        return EventArchive(store: store, eventBytes: eventBytes)
    }

    private func list(_ request: Request) async throws -> Response {
        let query = try EventQuery(request.uri)
        try checkIndex(query.filter)
        let page = try await archive().page(query)
        var json = Array(#"{"events":["#.utf8)
        for (index, event) in page.events.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            event.append(to: &json)
        }
        json.append(contentsOf: #"],"next":\#(Self.json(page.next)),"previous":\#(Self.json(page.previous))}"#.utf8)
        return .json(json)
    }

    /// Without the index, a listing by type would be empty.
    private func checkIndex(_ filter: EventQuery.Filter) throws {
        guard filter.type == nil || hasTypeIndex else {
            throw Problem.badRequest(
                "no-type-index", "the service keeps no index of types (events.type-index = false): leave out type")
        }
    }

    private static func json(_ cursor: EventCursor?) -> String { cursor.map { "\"\($0)\"" } ?? "null" }

    private func count(_ request: Request) async throws -> Response {
        let filter = try EventQuery.Filter(request.uri)
        try checkIndex(filter)
        let count = try await archive().count(filter)
        return .json(Array(#"{"count":\#(count)}"#.utf8))
    }

    private func event(_ context: CollectorContext) async throws -> Response {
        guard let id = EventID(try context.parameters.require("id")) else {
            throw Problem.badRequest("invalid-id", "an id has 32 hexadecimal digits")
        }
        guard let event = try await archive().event(id) else {
            throw Problem(.notFound, "no-event", "there is no event with this id, or it has expired")
        }
        var json: [UInt8] = []
        event.append(to: &json)
        return .json(json)
    }
}

extension EventArchive.Event {
    /// `{"id":…,"time":…,"event":…}`. The client's object is as it was sent.
    func append(to json: inout [UInt8]) {
        json.append(contentsOf: #"{"id":"\#(id)","time":"\#(Timestamps.text(id.time))","event":"#.utf8)
        json.append(contentsOf: object)
        json.append(UInt8(ascii: "}"))
    }
}

extension Response {
    /// A JSON text that isn't to be cached.
    static func json(_ bytes: [UInt8], _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
