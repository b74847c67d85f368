import Heartwood

/// A place in the stream of events: a position of the store's feed, and how many events of the next batch came.
///
/// A position counts whole batches. With the number, a client that comes back in the middle of a batch gets no event
/// twice. Its text is the `id:` of a server-sent event: `POSITION` or `POSITION+NUMBER`.
struct StreamPosition: Equatable, LosslessStringConvertible {
    var position: ChangePosition
    var delivered = 0

    /// More events than any batch has.
    private static let mostDelivered = 1 << 32

    init(_ position: ChangePosition, delivered: Int = 0) { (self.position, self.delivered) = (position, delivered) }

    init?(_ text: String) {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        guard let position = ChangePosition(String(parts[0])) else { return nil }
        switch parts.count {
        case 1: self.init(position)
        case 2:
            guard let number = Int(parts[1]), 1..<Self.mostDelivered ~= number else { return nil }
            self.init(position, delivered: number)
        default: return nil
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
        if change.isLastOfBatch {
            position = StreamPosition(change.position)
        } else {
            position = StreamPosition(
                change.position, delivered: position.position == change.position ? position.delivered + 1 : 1)
        }
        hasMoved = true
        let isKnown = skipped > 0
        skipped = change.isLastOfBatch ? 0 : max(0, skipped - 1)
        guard !isKnown, let object = change.value, let id = EventKeys.id(change.key), isOfType(object) else { return }
        text.append(contentsOf: "id: \(position)\ndata: ".utf8)
        Self.append(EventArchive.Event(id: id, object: object), to: &text)
        text.append(contentsOf: "\n\n".utf8)
        hasMoved = false
    }

    /// Tells the position after events that the client doesn't get, so that it doesn't fall back behind them.
    mutating func appendPosition(to text: inout [UInt8]) {
        guard hasMoved else { return }
        text.append(contentsOf: "id: \(position)\n\n".utf8)
        hasMoved = false
    }

    private func isOfType(_ object: [UInt8]) -> Bool {
        guard let type else { return true }
        let span = object.span
        var scanner = JSONScanner()
        guard let event = try? ScannedEvent(span, &scanner) else { return false }
        return JSONText.decode(event.type, in: span) == Array(type.utf8)
    }

    /// Line breaks between the parts of an object become spaces, because they would end the line.
    private static func append(_ event: EventArchive.Event, to text: inout [UInt8]) {
        let start = text.count
        event.append(to: &text)
        for index in start..<text.count where text[index] == 0x0A || text[index] == 0x0D { text[index] = 0x20 }
    }

    /// Tells a client that events are missing: it reads what there is, and continues from here.
    static func reset(to position: ChangePosition, reason: String) -> [UInt8] {
        var text = Array("event: reset\nid: \(position)\ndata: {\"position\":\"\(position)\",\"reason\":".utf8)
        JSONText.append(reason, to: &text)
        text.append(contentsOf: "}\n\n".utf8)
        return text
    }

    static let heartbeat = Array(": still here\n\n".utf8)
}
