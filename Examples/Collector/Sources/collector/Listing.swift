import Crypto
import HTTPTypes
import Heartwood
import Hummingbird
import HummingbirdCore
import NIOCore

/// An event as readers get it: `{"id":…,"time":…,"event":…}`. The client's object is as it was sent.
struct StoredEvent {
    var id: EventID
    var object: [UInt8]

    func append(to json: inout [UInt8]) {
        json.append(contentsOf: #"{"id":"\#(id)","time":"\#(Timestamps.text(id.time))","event":"#.utf8)
        json.append(contentsOf: object)
        json.append(UInt8(ascii: "}"))
    }
}

/// `GET /events`, `/events/count`, `/events/{id}`.
struct Listing: Sendable {
    let store: (any KeyValueStore)?
    let settings: Settings

    /// A page ends when its events have this many bytes; so a client that doesn't take its pages holds little memory.
    private static let pageBytes = 1 << 20
    /// What is read at once has at most this many bytes.
    private static let stepBytes = 4 << 20

    func opened() throws -> any KeyValueStore {
        guard let store else { throw Problem.noStore }
        return store
    }

    /// How many events there are.
    ///
    /// - Complexity: O(events). Only keys are read.
    func count(_ uri: URI) async throws -> [String: Int] {
        ["count": try await opened().fetchCount(in: try Query(uri, settings).range)]
    }

    func event(_ context: CollectorContext) async throws -> Response {
        guard let id = EventID(try context.parameters.require("id")) else {
            throw Problem.badRequest("invalid-id", "an id has 32 hexadecimal digits")
        }
        guard let entry = try await opened().fetchEntry(Keys.event(id)) else {
            throw Problem(.notFound, "no-event", "there is no event with this id, or it has expired")
        }
        var json: [UInt8] = []
        StoredEvent(id: id, object: entry.value).append(to: &json)
        return Response(ByteBuffer(bytes: json))
    }

    /// A page of events, and how to continue on both sides; null where the listing is known to end.
    ///
    /// - Complexity: O(log n + limit). It reads up to 64 events at once, more if the largest event is smaller than by
    ///   default: a remote engine needs a round trip for each.
    func page(_ uri: URI) async throws -> Response {
        let query = try Query(uri, settings)
        let isBackwards = query.cursor?.isBackwards ?? false
        let isReversed = query.isDescending != isBackwards
        var rest: KeyRange? = query.range
        if let cursor = query.cursor {
            let key = Keys.prefix(query.type) + cursor.id.bytes
            rest = isReversed ? query.range.before(key) : query.range.after(key)
        }
        let view = try await opened().readView(for: .answer)
        let step = min(256, max(1, Self.stepBytes / settings.maximumEventBytes))
        var events: [StoredEvent] = []
        var bytes = 0
        while let part = rest, events.count < query.limit, bytes < Self.pageBytes {
            let found = try await view.fetchEntries(
                in: part, reversed: isReversed, limit: min(step, query.limit - events.count))
            for event in try await self.events(found.entries, query, view) {
                events.append(event)
                bytes += event.object.count
            }
            rest = found.next
        }
        if isBackwards { events.reverse() }
        var isMore = false
        if let rest { isMore = try await !view.fetchKeys(in: rest, limit: 1).isEmpty }

        var json = Array(#"{"events":["#.utf8)
        for (index, event) in events.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            event.append(to: &json)
        }
        // Events may come at either end at any time, so only the side that was read is known to end.
        let here = query.cursor?.id
        let next = isBackwards || isMore ? events.last?.id ?? here : nil
        let previous = !isBackwards || isMore ? events.first?.id ?? here : nil
        json.append(contentsOf: #"],"next":\#(query.text(next, isBackwards: false))"#.utf8)
        json.append(contentsOf: #","previous":\#(query.text(previous, isBackwards: true))}"#.utf8)
        return Response(ByteBuffer(bytes: json))
    }

    private func events(_ found: [Entry], _ query: Query, _ view: any KeyValueView) async throws -> [StoredEvent] {
        let ids = found.map { EventID(bytes: $0.key) }
        guard query.type != nil else { return zip(ids, found).map { StoredEvent(id: $0, object: $1.value) } }
        let values = try await view.fetchEntries(of: ids.map(Keys.event))
        return zip(ids, values).compactMap { id, entry in entry.map { StoredEvent(id: id, object: $0.value) } }
    }

    /// Which events a request asks for.
    private struct Query {
        var type: String?
        var range: KeyRange
        var isDescending: Bool
        var limit: Int
        /// An event, which doesn't have to exist any more, and on which side of it the page is.
        var cursor: (id: EventID, isBackwards: Bool)?
        /// Of the parameters that a cursor belongs to.
        private var fingerprint: String

        /// - Throws: A problem for a value that can't be read.
        init(_ uri: URI, _ settings: Settings) throws {
            let parameters = uri.queryParameters
            let (from, to) = (try uri.time("from"), try uri.time("to"))
            type = parameters["type"].map(String.init)
            if let type {
                guard settings.hasTypeIndex else {
                    let detail = "the service keeps no index of types (events.type-index = false): leave out type"
                    throw Problem.badRequest("no-type-index", detail)
                }
                guard 1...ScannedEvent.maximumTypeBytes ~= type.utf8.count, !type.utf8.contains(0) else {
                    let detail = "type: 1 to \(ScannedEvent.maximumTypeBytes) bytes, none of them 0"
                    throw Problem.badRequest("invalid-query", detail)
                }
            }
            range = Keys.events(type, from: from, to: to)
            limit = try uri.limit
            let order = parameters["order"] ?? "desc"
            isDescending = order == "desc"
            guard isDescending || order == "asc" else {
                throw Problem.badRequest("invalid-query", "order: asc or desc")
            }
            let text = "\(from as Any) \(to as Any) \(isDescending) \(type as Any)"
            fingerprint = hex(SHA256.hash(data: Array(text.utf8)).prefix(4).map(\.self))
            if let text = parameters["cursor"] {
                guard text.utf8.count == 42, text.dropFirst(2).prefix(8) == fingerprint, "01".contains(text.prefix(1)),
                    let id = EventID(String(text.suffix(32)))
                else { throw Problem.invalidCursor("from, to, type and order") }
                cursor = (id, text.prefix(2) == "01")
            }
        }

        /// The cursor of a side, as JSON.
        func text(_ id: EventID?, isBackwards: Bool) -> String {
            id.map { "\"\(isBackwards ? "01" : "00")\(fingerprint)\($0)\"" } ?? "null"
        }
    }
}

/// The parameters that several listings have.
extension URI {
    /// A time in milliseconds since 1970; nil if there is no such parameter.
    ///
    /// - Throws: A problem for a value that can't be read.
    func time(_ name: Substring) throws -> UInt64? {
        guard let text = queryParameters[name] else { return nil }
        if let milliseconds = UInt64(text), milliseconds < Timestamps.end { return milliseconds }
        // A plus sign in a query is a space.
        guard let time = Timestamps.parse(text.replacing(" ", with: "+", maxReplacements: 1).utf8) else {
            throw Problem.badRequest(
                "invalid-query", "\(name): give a time of RFC 3339, or milliseconds since 1970")
        }
        return time
    }

    /// - Throws: A problem for a value that can't be read, or is more than the maximum.
    var limit: Int {
        get throws {
            guard let text = queryParameters["limit"] else { return 100 }
            guard let limit = Int(text), 1...1_000 ~= limit else {
                throw Problem.badRequest("invalid-query", "limit: 1 to 1000")
            }
            return limit
        }
    }
}

extension Problem {
    static func invalidCursor(_ parameters: String) -> Problem {
        .badRequest("invalid-cursor", "a cursor is used with the same \(parameters) as the page it is from")
    }
}

extension Response {
    init(_ body: ByteBuffer, status: HTTPResponse.Status = .ok, type: String = "application/json") {
        self.init(status: status, headers: [.contentType: type], body: .init(byteBuffer: body))
    }
}
