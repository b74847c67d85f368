/// Counts the events of an hour, in memory that doesn't grow with their number.
struct HourCount {
    /// How many types a summary names.
    static let namedTypes = 50
    /// How many types are counted: those that come first in the hour. Further ones are counted together.
    static let maximumTypes = 10_000

    private(set) var events = 0
    private(set) var bytes = 0
    private var types: [[UInt8]: Int] = [:]

    /// Counts an event.
    mutating func add(_ object: [UInt8]) {
        events += 1
        bytes += object.count
        guard let type = Self.type(object) else { return }
        if types[type] != nil || types.count < Self.maximumTypes { types[type, default: 0] += 1 }
    }

    private static func type(_ object: [UInt8]) -> [UInt8]? {
        let span = object.span
        var scanner = JSONScanner()
        guard let event = try? ScannedEvent(span, &scanner) else { return nil }
        return JSONText.decode(event.type, in: span)
    }

    func summary(of hour: Hour, counted: UInt64) -> HourSummary {
        let sorted = types.sorted { left, right in
            left.value == right.value ? left.key.lexicographicallyPrecedes(right.key) : left.value > right.value
        }
        let named = sorted.prefix(Self.namedTypes).map {
            HourSummary.TypeCount(type: String(decoding: $0.key, as: UTF8.self), events: $0.value)
        }
        return HourSummary(
            id: hour.number, events: events, bytes: bytes, types: named,
            others: named.reduce(events) { $0 - $1.events }, counted: counted)
    }
}
