import Foundation
import Heartwood
import HeartwoodFoundation

/// Photos under random ids: 16 bytes as a key, no text.
func addPhoto(_ photo: Data, to store: Store) async throws -> UUID {
    let id = UUID()
    try await store.put(id, photo, if: .absent)
    return id
}

func photos(in store: Store) throws -> [UUID] {
    try store.scan().keys.compactMap { UUID(byteSource: $0) }
}

/// Events in the order in which they were added: a number in bytes, the highest first, so that keys sort as numbers do.
func addEvent(_ event: String, to store: Store) async throws -> UInt64 {
    try await store.transaction { transaction in
        let last = try await transaction.fetch("last event").flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
        let number = (last ?? 0) + 1
        try transaction.put("last event", String(number))
        try transaction.put(eventKey(number), event)
        return number
    }.value
}

func eventKey(_ number: UInt64) -> [UInt8] {
    Array("event:".utf8) + withUnsafeBytes(of: number.bigEndian) { Array($0) }
}
