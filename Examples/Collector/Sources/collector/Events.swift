import Foundation
import Heartwood
import Synchronization

/// The keys of the store.
///
///     e ID                    an event: the client's object
///     t TYPE 00 ID            nothing: finds the events of a type
///     i CLIENT 00 KEY         the answer to a request with an idempotency key: see Ingest
///     n                       the newest epoch of event numbers
///     p ...                   sessions and login attempts: HeartwoodPersistDriver
///     h HOUR                  nothing: the hour has events that its summary may lack; see Summaries
///     FE ...                  summaries and jobs: HeartwoodRepository
///
/// IDs begin with the time, so a span of time is a range of keys, with and without a type.
enum Keys {
    static let numbers: [UInt8] = Array("n".utf8)
    static let persist = "p"
    static let events = KeyRange.prefix("e")
    static let marks = KeyRange.prefix("h")

    static func event(_ id: EventID) -> [UInt8] { [UInt8(ascii: "e")] + id.bytes }
    static func type(_ type: String, _ id: EventID) -> [UInt8] { prefix(type) + id.bytes }
    static func answer(_ client: String, _ key: String) -> [UInt8] {
        [UInt8(ascii: "i")] + client.utf8 + [0] + key.utf8
    }
    static func mark(_ hour: Hour) -> [UInt8] { [UInt8(ascii: "h")] + hour.number.bytes }

    /// What the keys of events begin with: of all, or of a type.
    static func prefix(_ type: String?) -> [UInt8] {
        type.map { [UInt8(ascii: "t")] + $0.utf8 + [0] } ?? [UInt8(ascii: "e")]
    }

    /// The keys of events with times from `lower`, inclusive, to `upper`, exclusive; nil is no bound.
    static func events(_ type: String?, from lower: UInt64?, to upper: UInt64?) -> KeyRange {
        let all = KeyRange.prefix(prefix(type))
        func first(at time: UInt64) -> [UInt8] { prefix(type) + EventID(time, epoch: 0, number: 0).bytes }
        return KeyRange(
            lower: lower.map { .included(first(at: $0)) } ?? all.lower,
            upper: upper.map { .excluded(first(at: $0)) } ?? all.upper)
    }
}

extension FixedWidthInteger {
    /// The most significant byte first.
    var bytes: [UInt8] { withUnsafeBytes(of: bigEndian) { [UInt8]($0) } }

    init(bytes: some Sequence<UInt8>) { self = bytes.reduce(0) { $0 << 8 | Self($1) } }
}

/// The text of bytes, in lower case.
func hex(_ bytes: some Collection<UInt8>) -> String {
    let digits = StaticString("0123456789abcdef").utf8Start
    return String(unsafeUninitializedCapacity: 2 * bytes.count) { buffer in
        for (index, byte) in bytes.enumerated() {
            buffer[2 * index] = digits[Int(byte >> 4)]
            buffer[2 * index + 1] = digits[Int(byte & 0xF)]
        }
        return 2 * bytes.count
    }
}

/// The identity of an event: its time, and a number that no other event of the store has.
///
/// The bytes of ids, and their text, are in the order of the times, and then of arrival.
struct EventID: Hashable, LosslessStringConvertible {
    static let byteCount = 16

    /// The time in milliseconds since 1970 (48 bits), the epoch (32), and the number in the epoch (48).
    private let high, low: UInt64

    init(_ time: UInt64, epoch: UInt32, number: UInt64) {
        high = time << 16 | UInt64(epoch >> 16)
        low = UInt64(epoch & 0xFFFF) << 48 | number & 0xFFFF_FFFF_FFFF
    }

    /// Of the last 16 bytes of a key.
    init(bytes: some RandomAccessCollection<UInt8>) {
        high = UInt64(bytes: bytes.suffix(16).prefix(8))
        low = UInt64(bytes: bytes.suffix(8))
    }

    /// Parses a text of 32 hexadecimal digits.
    init?(_ text: String) {
        guard text.utf8.count == 32, text.allSatisfy(\.isHexDigit), let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        (self.high, self.low) = (high, low)
    }

    var time: UInt64 { high >> 16 }
    var bytes: [UInt8] { high.bytes + low.bytes }
    var description: String { hex(bytes) }
}

/// Gives each event a number that no other event of the store has, without a write for each.
///
/// Each opening of the store takes the next epoch, and counts within it, also if several services share a cluster.
final class EventNumbers: Sendable {
    /// Nil for measurements without a store.
    private let store: (any KeyValueStore)?
    private let state: Mutex<(epoch: UInt32?, next: UInt64)>

    init(_ store: (any KeyValueStore)?) {
        self.store = store
        state = Mutex((store == nil ? 0 : nil, 0))
    }

    /// Takes `count` numbers. The first call writes to the store, and so do later ones until that has succeeded.
    func take(_ count: Int) async throws -> (epoch: UInt32, first: UInt64) {
        if state.withLock({ $0.epoch }) == nil, let store { try await begin(store) }
        return state.withLock { state in
            state.next += UInt64(count)
            return (state.epoch ?? 0, state.next - UInt64(count))
        }
    }

    /// Takes the next epoch of the store. It is on the disk when this returns.
    private func begin(_ store: any KeyValueStore) async throws {
        let epoch = try await store.transaction(durability: .synced) { transaction in
            let last = UInt32(bytes: try await transaction.fetchEntry(Keys.numbers)?.value.prefix(4) ?? [])
            guard last < .max else {
                throw StoreError(.corruption, "the epoch of event numbers is used up: another program has written it")
            }
            try transaction.put(Keys.numbers, (last + 1).bytes)
            return last + 1
        }.value
        // Of several calls at once, one counts; the epochs of the others stay unused.
        state.withLock { $0.epoch = $0.epoch ?? epoch }
    }
}

/// Times of events: milliseconds since 1970 (UTC), and their text by RFC 3339. Years 1970 to 9999.
enum Timestamps {
    /// The first millisecond of the year 10000: what the text can't have any more.
    static let end: UInt64 = 253_402_300_800_000

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// The text of a time, such as `2026-11-26T09:30:00.500Z`.
    static func text(_ milliseconds: UInt64) -> String {
        // A date is a floating-point number, which may lie before the millisecond.
        Date(timeIntervalSince1970: Double(min(milliseconds, end - 1)) / 1_000 + 0.000_4).formatted(style)
    }

    /// The time of a text such as `2026-11-26T09:30:00.5Z` or `2026-11-26 10:30:00+01:00`; nil if it is none, or before
    /// 1970. Digits after the third of a fraction are dropped. A leap second is the second after it.
    ///
    /// Foundation reads less (no space, no lower case) and more (a 31st of November).
    static func parse(_ text: some Collection<UInt8>) -> UInt64? {
        var rest = Array(text)[...]
        func number(_ digits: Int) -> Int? {
            defer { rest = rest.dropFirst(digits) }
            guard rest.count >= digits, rest.prefix(digits).allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
            return rest.prefix(digits).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        func skip(_ characters: String) -> Bool { rest.popFirst().map { characters.utf8.contains($0) } ?? false }
        guard let year = number(4), year >= 1_969, skip("-"), let month = number(2), 1...12 ~= month, skip("-"),
            let day = number(2), 1...(days(before: month + 1, year) - days(before: month, year)) ~= day, skip("Tt "),
            let hour = number(2), hour < 24, skip(":"), let minute = number(2), minute < 60, skip(":"),
            let second = number(2), second <= 60
        else { return nil }
        var milliseconds =
            ((days(before: month, year) + day - 1) * 86_400 + hour * 3_600 + minute * 60 + second) * 1_000
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { $0 &- 0x30 < 10 }
            guard !digits.isEmpty else { return nil }
            for (digit, unit) in zip(digits, [100, 10, 1]) { milliseconds += Int(digit - 0x30) * unit }
            rest = rest[digits.endIndex...]
        }
        let sign = rest.first == UInt8(ascii: "-") ? -1 : 1
        if rest.count > 1 {
            guard skip("+-"), let hours = number(2), hours < 24, skip(":"), let minutes = number(2), minutes < 60
            else { return nil }
            milliseconds -= sign * (hours * 60 + minutes) * 60_000
        } else if !skip("Zz") {
            return nil
        }
        return rest.isEmpty && 0..<Int(end) ~= milliseconds ? UInt64(milliseconds) : nil
    }

    /// Days from 1970 to the first of a month; month 13 is the next January.
    private static func days(before month: Int, _ year: Int) -> Int {
        // Years that begin in March have their leap day at the end.
        let (year, month) = month <= 2 ? (year - 1, month + 9) : (year, month - 3)
        return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 - 719_468
    }
}
