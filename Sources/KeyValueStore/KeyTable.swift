/// Values by key, in the order in which the keys were added. Few are looked for one by one, which takes less than to
/// hash them.
package struct KeyTable<Value> {
    package private(set) var items: [(key: [UInt8], value: Value)] = []
    /// The position of each key; empty while there are few.
    private var positions: [HashedBytes: Int] = [:]
    private static var few: Int { 12 }

    package init() {}

    private func position(_ key: [UInt8]) -> Int? {
        if items.count > Self.few { return positions[HashedBytes(key)] }
        return items.firstIndex { $0.key == key }
    }

    /// Makes room for as many values in all.
    package mutating func reserve(_ count: Int) {
        items.reserveCapacity(count)
        if count > Self.few { positions.reserveCapacity(count) }
    }

    subscript(key: [UInt8]) -> Value? { position(key).map { items[$0].value } }

    /// Adds a value, or replaces that of the key.
    package mutating func set(_ key: [UInt8], _ value: Value) {
        let next = items.count
        // Found or added by one look-up: each one hashes the key.
        let position =
            next > Self.few ? Self.itself(&positions[HashedBytes(key), default: next]) : position(key) ?? next
        guard position == next else {
            items[position].value = value
            return
        }
        items.append((key, value))
        if items.count == Self.few + 1 {
            for (position, item) in items.enumerated() { positions[HashedBytes(item.key)] = position }
        }
    }

    /// Taking it as `inout` makes the dictionary keep a default value.
    private static func itself(_ position: inout Int) -> Int { position }
}
