import Heartwood
import HeartwoodNIO
import NIOCore

/// Puts the records of events into a batch. The keys are made in place, so that none is allocated.
struct EventWriter {
    let body: ByteBuffer
    let expires: Expiry
    let hasTypeIndex: Bool
    private var eventKey: [UInt8] = [UInt8(ascii: "e")]
    private var typeKey: [UInt8] = [UInt8(ascii: "t")]

    init(body: ByteBuffer, expires: Expiry, hasTypeIndex: Bool) {
        (self.body, self.expires, self.hasTypeIndex) = (body, expires, hasTypeIndex)
        eventKey.reserveCapacity(1 + EventID.byteCount)
        typeKey.reserveCapacity(2 + ScannedEvent.maximumTypeBytes + EventID.byteCount)
    }

    mutating func add(_ event: ScannedEvent, _ id: EventID, _ span: borrowing Span<UInt8>, to batch: inout WriteBatch) {
        eventKey.removeLast(eventKey.count - 1)
        id.forEachByte { eventKey.append($0) }
        let object = body.getSlice(at: body.readerIndex + event.object.lowerBound, length: event.object.count)
        batch.put(eventKey, object ?? ByteBuffer(), expires: expires)
        guard hasTypeIndex else { return }

        typeKey.removeLast(typeKey.count - 1)
        if event.type.hasEscapes {
            typeKey.append(contentsOf: JSONText.decode(event.type, in: span))
        } else {
            for index in event.type.content { typeKey.append(span[index]) }
        }
        typeKey.append(0)
        id.forEachByte { typeKey.append($0) }
        batch.put(typeKey, Self.nothing, expires: expires)
    }

    private static let nothing: [UInt8] = []
}
