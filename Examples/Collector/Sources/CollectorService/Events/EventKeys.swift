import Heartwood

/// The keys of the store.
///
///     e ID                    an event: the client's object
///     t TYPE 00 ID            nothing: finds the events of a type
///     i CLIENT 00 KEY         the answer to a request with an idempotency key: IdempotencyRecord
///     n                       the newest epoch of event numbers
///     p ...                   sessions and login attempts: HeartwoodPersistDriver
///     h HOUR                  nothing: the hour has events that its summary may lack; see HourMarks
///     c HOUR                  nothing: the hour is closed
///     FE ...                  summaries and jobs: HeartwoodRepository
///
/// IDs begin with the time, so a span of time is a range of keys, with and without a type.
enum EventKeys {
    static let numbers: [UInt8] = Array("n".utf8)
    static let persist = "p"
    static let events = KeyRange.prefix("e")

    static func event(_ id: EventID) -> [UInt8] { [UInt8(ascii: "e")] + id.bytes }

    static func request(client: String, key: String) -> [UInt8] {
        [UInt8(ascii: "i")] + client.utf8 + [0] + key.utf8
    }

    static let marks = KeyRange.prefix("h")
    static func mark(_ hour: Hour) -> [UInt8] { [UInt8(ascii: "h")] + bytes(hour) }
    static func closed(_ hour: Hour) -> [UInt8] { [UInt8(ascii: "c")] + bytes(hour) }

    /// The hour of a key of ``marks``.
    static func hour(ofMark key: [UInt8]) -> Hour? {
        key.count == 5 ? Hour(number: key.dropFirst().reduce(0) { $0 << 8 | UInt32($1) }) : nil
    }

    /// Four bytes, in the order of the hours.
    private static func bytes(_ hour: Hour) -> [UInt8] { withUnsafeBytes(of: hour.number.bigEndian) { [UInt8]($0) } }

    /// What the keys of events begin with: of all, or of a type.
    static func prefix(type: String?) -> [UInt8] {
        type.map { [UInt8(ascii: "t")] + $0.utf8 + [0] } ?? [UInt8(ascii: "e")]
    }

    /// The id of a key of either kind.
    static func id(_ key: [UInt8]) -> EventID? { EventID(key.suffix(EventID.byteCount)) }

    /// The keys of events with times from `lower`, inclusive, to `upper`, exclusive; nil is no bound.
    static func range(type: String?, from lower: UInt64?, to upper: UInt64?) -> KeyRange {
        let prefix = prefix(type: type)
        let all = KeyRange.prefix(prefix)
        func first(at time: UInt64) -> [UInt8] { prefix + EventID(time: time, epoch: 0, number: 0).bytes }
        return KeyRange(
            lower: lower.map { .included(first(at: $0)) } ?? all.lower,
            upper: upper.map { .excluded(first(at: $0)) } ?? all.upper)
    }
}
