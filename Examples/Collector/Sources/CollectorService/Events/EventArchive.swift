import Heartwood

/// Reads the events of a store.
struct EventArchive {
    let store: any KeyValueStore
    /// The largest event.
    let eventBytes: Int

    /// A page ends when its events have this many bytes; so a client that doesn't take its pages holds little memory.
    static let pageBytes = 1 << 20
    /// What is read at once has at most this many bytes.
    private static let stepBytes = 4 << 20

    struct Event {
        var id: EventID
        /// The client's object.
        var object: [UInt8]
    }

    /// Some events of a listing, and how to continue on both sides; nil where the listing is known to end.
    struct Page {
        var events: [Event]
        var next: EventCursor?
        var previous: EventCursor?
    }

    func event(_ id: EventID) async throws -> Event? {
        try await store.fetchEntry(EventKeys.event(id)).map { Event(id: id, object: $0.value) }
    }

    /// How many events there are.
    ///
    /// - Complexity: O(events). Only keys are read.
    func count(_ filter: EventQuery.Filter) async throws -> Int { try await store.fetchCount(in: filter.range) }

    /// A page of a listing: as many events as the query allows, or ``pageBytes``.
    ///
    /// - Complexity: O(log n + limit). It reads up to 64 events at once, more if the largest event is smaller than by
    ///   default: a remote engine needs a round trip for each.
    func page(_ query: EventQuery) async throws -> Page {
        let (filter, order) = (query.filter, query.order)
        let isBackwards = query.cursor?.direction == .previous
        let isReversed = (order == .descending) != isBackwards
        var range = filter.range
        if let cursor = query.cursor {
            let key = EventKeys.prefix(type: filter.type) + cursor.id.bytes
            range = isReversed ? range.before(key) : range.after(key)
        }
        let view = try await store.readView(for: .answer)
        let step = min(256, max(1, Self.stepBytes / eventBytes))
        var events: [Event] = []
        var (bytes, rest) = (0, KeyRange?.some(range))
        while let part = rest, events.count < query.limit, bytes < Self.pageBytes {
            let found = try await view.fetchEntries(
                in: part, reversed: isReversed, limit: min(step, query.limit - events.count))
            let read = try await self.events(found.entries, isByType: filter.type != nil, view)
            bytes += read.reduce(0) { $0 + $1.object.count }
            events += read
            rest = found.next
        }
        if isBackwards { events.reverse() }

        var isMore = false
        if let rest { isMore = try await !view.fetchKeys(in: rest, limit: 1).isEmpty }
        func cursor(_ direction: EventCursor.Direction, _ event: Event?) -> EventCursor? {
            (event?.id ?? query.cursor?.id).map { EventCursor(direction, $0, filter, order) }
        }
        // Events may come at either end at any time, so only the side that was read is known to end.
        return Page(
            events: events,
            next: isBackwards || isMore ? cursor(.next, events.last) : nil,
            previous: isBackwards ? (isMore ? cursor(.previous, events.first) : nil) : cursor(.previous, events.first))
    }

    private func events(_ found: [Entry], isByType: Bool, _ view: any KeyValueView) async throws -> [Event] {
        let ids = found.compactMap { EventKeys.id($0.key) }
        guard isByType else { return zip(ids, found).map { Event(id: $0, object: $1.value) } }
        let values = try await view.fetchEntries(of: ids.map(EventKeys.event))
        return zip(ids, values).compactMap { id, entry in entry.map { Event(id: id, object: $0.value) } }
    }
}
