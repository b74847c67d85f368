import Heartwood

/// Reads the events of a store.
struct EventArchive {
    let store: any KeyValueStore

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

    /// A page of a listing.
    ///
    /// - Complexity: O(log n + limit).
    func page(_ query: EventQuery) async throws -> Page {
        let (filter, order) = (query.filter, query.order)
        let isBackwards = query.cursor?.direction == .previous
        let isReversed = (order == .descending) != isBackwards
        var range = filter.range
        if let cursor = query.cursor {
            let key = EventKeys.prefix(type: filter.type) + cursor.id.bytes
            range = isReversed ? range.before(key) : range.after(key)
        }
        // One more than asked for says whether the listing continues.
        let view = try await store.immediateView()
        let found = try await view.fetchEntries(in: range, reversed: isReversed, limit: query.limit + 1).entries
        var events = try await events(Array(found.prefix(query.limit)), isByType: filter.type != nil, view)
        if isBackwards { events.reverse() }

        let isMore = found.count > query.limit
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
