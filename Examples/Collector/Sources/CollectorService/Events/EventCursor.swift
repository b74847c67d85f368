import Crypto

/// A place between two events of a listing: where a page begins. Opaque for clients.
///
/// It names an event, which doesn't have to exist any more, so pages have no gap or overlap when events expire or come.
struct EventCursor: Equatable {
    enum Direction: UInt8 {
        /// The events after it, in the order of the listing.
        case next = 0
        /// Those before it.
        case previous = 1
    }

    var direction: Direction
    var id: EventID
    /// Of the filter and the order that it belongs to.
    private var fingerprint: [UInt8]

    init(_ direction: Direction, _ id: EventID, _ filter: EventQuery.Filter, _ order: EventQuery.Order) {
        (self.direction, self.id) = (direction, id)
        fingerprint = Self.fingerprint(filter, order)
    }

    func isOf(_ filter: EventQuery.Filter, _ order: EventQuery.Order) -> Bool {
        fingerprint == Self.fingerprint(filter, order)
    }

    private static func fingerprint(_ filter: EventQuery.Filter, _ order: EventQuery.Order) -> [UInt8] {
        let from = filter.from.map { "\($0)" } ?? ""
        let to = filter.to.map { "\($0)" } ?? ""
        let text = "\(from)\n\(to)\n\(order.rawValue)\n\(filter.type.map { "=\($0)" } ?? "")"
        return Array(SHA256.hash(data: Array(text.utf8)).prefix(4))
    }
}

extension EventCursor: LosslessStringConvertible {
    var description: String { HexDigits.text([direction.rawValue] + fingerprint + id.bytes) }

    init?(_ text: String) { self.init(text[...]) }

    init?(_ text: Substring) {
        let digits = text.utf8.compactMap(HexDigits.value)
        guard text.utf8.count == 42, digits.count == 42 else { return nil }
        let bytes = stride(from: 0, to: 42, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        guard let direction = Direction(rawValue: bytes[0]), let id = EventID(bytes[5...]) else { return nil }
        (self.direction, self.id, fingerprint) = (direction, id, Array(bytes[1..<5]))
    }
}
