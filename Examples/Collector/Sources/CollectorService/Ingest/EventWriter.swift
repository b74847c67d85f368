import Heartwood
import HeartwoodNIO
import NIOCore

/// Puts the records of events into a batch. The keys are made in place, so that none is allocated.
struct EventWriter {
    /// Nil without a store.
    private(set) var batch: WriteBatch?
    let body: ByteBuffer
    let expires: Expiry
    let hasTypeIndex: Bool
    private var eventKey: [UInt8] = []
    private var typeKey: [UInt8] = []

    init(_ batch: WriteBatch?, body: ByteBuffer, expires: Expiry, hasTypeIndex: Bool) {
        (self.batch, self.body) = (batch, body)
        (self.expires, self.hasTypeIndex) = (expires, hasTypeIndex)
        eventKey.reserveCapacity(1 + EventID.byteCount)
        eventKey.append(UInt8(ascii: "e"))
        guard hasTypeIndex else { return }
        typeKey.reserveCapacity(2 + ScannedEvent.maximumTypeBytes + EventID.byteCount)
        typeKey.append(UInt8(ascii: "t"))
    }

    mutating func add(_ event: ScannedEvent, _ id: EventID, _ span: borrowing Span<UInt8>) {
        if batch == nil { return }
        eventKey.removeLast(eventKey.count - 1)
        id.forEachByte { eventKey.append($0) }
        let object = body.getSlice(at: body.readerIndex + event.object.lowerBound, length: event.object.count)
        batch?.put(eventKey, object ?? ByteBuffer(), expires: expires)
        guard hasTypeIndex else { return }

        typeKey.removeLast(typeKey.count - 1)
        if event.type.hasEscapes {
            typeKey.append(contentsOf: JSONText.decode(event.type, in: span))
        } else {
            for index in event.type.content { typeKey.append(span[index]) }
        }
        typeKey.append(0)
        id.forEachByte { typeKey.append($0) }
        batch?.put(typeKey, Self.nothing, expires: expires)
    }

    /// Adds a record that must not exist yet.
    mutating func add(_ key: [UInt8], _ value: [UInt8], expires: Expiry) {
        batch?.put(key, value, expires: expires, if: .absent)
    }

    /// Adds the mark of an hour.
    mutating func add(mark hour: Hour) { batch?.put(EventKeys.mark(hour), Self.nothing) }

    private static let nothing: [UInt8] = []
}
