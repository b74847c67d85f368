import Heartwood
import HummingbirdCore

/// Which events a request asks for: `from`, `to`, `type`, `order`, `limit` and `cursor`.
struct EventQuery {
    static let maximumLimit = 1_000

    /// A span of time and a type; also what a cursor belongs to.
    struct Filter: Hashable {
        /// The first millisecond; nil for no bound.
        var from: UInt64?
        /// The millisecond after the last one; nil for no bound.
        var to: UInt64?
        var type: String?

        var range: KeyRange { EventKeys.range(type: type, from: from, to: to) }
    }

    enum Order: String { case ascending = "asc", descending = "desc" }

    var filter: Filter
    var order = Order.descending
    var limit = 100
    var cursor: EventCursor?
}

extension EventQuery.Filter {
    /// - Throws: A problem for a value that can't be read.
    init(_ uri: URI) throws {
        self.init(
            from: try uri.time("from"), to: try uri.time("to"), type: uri.queryParameters["type"].map(String.init))
        if let type, type.isEmpty || type.utf8.count > ScannedEvent.maximumTypeBytes || type.utf8.contains(0) {
            throw Problem.badRequest(
                "invalid-query", "type: 1 to \(ScannedEvent.maximumTypeBytes) bytes, none of them 0")
        }
    }
}

extension EventQuery {
    /// - Throws: A problem for a value that can't be read.
    init(_ uri: URI) throws {
        self.init(filter: try Filter(uri))
        if let limit = try uri.limit(maximum: Self.maximumLimit) { self.limit = limit }
        if let text = uri.queryParameters["order"] {
            guard let order = Order(rawValue: String(text)) else {
                throw Problem.badRequest("invalid-query", "order: asc or desc")
            }
            self.order = order
        }
        if let text = uri.queryParameters["cursor"] {
            guard let cursor = EventCursor(text), cursor.isOf(filter, order) else {
                throw Problem.badRequest(
                    "invalid-cursor", "a cursor is used with the same from, to, type and order as the page it is from")
            }
            self.cursor = cursor
        }
    }
}
