package import HeartwoodTesting
package import Heartwood

/// The keys of a run, in order. Operations name them by their position.
///
/// There are short keys of extreme bytes, ordinary text, prefixes of other keys, long keys, and keys of maximum length.
package struct KeyUniverse: Sendable {
    package let keys: [[UInt8]]

    init(keys: [[UInt8]]) { self.keys = keys }

    package init(count: Int, _ random: inout SeededRandom) {
        var keys: Set<[UInt8]> = []
        var recent: [UInt8] = [0x41]
        while keys.count < count {
            let key: [UInt8] =
                switch random.below(100) {
                case ..<15:
                    (0..<random.number(in: 1...5)).map { _ in random.pick([0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF]) }
                case ..<70:
                    Array("user:\(random.below(count * 3))".utf8)
                case ..<90:
                    Array((recent + [random.pick([0x00, 0x2F, 0x61, 0xFF])]).suffix(300))
                case ..<99:
                    Array("a/long/path/\(random.below(10))/".utf8)
                        + (0..<random.number(in: 20...600)).map { _ in UInt8(random.below(256)) }
                default:
                    keys.count < 40 ? [UInt8](repeating: UInt8(random.below(256)), count: 65_535) : recent
                }
            recent = key.count > 1000 ? Array(key.prefix(3)) : key
            keys.insert(key)
        }
        self.keys = keys.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The position of the first key that doesn't sort below `bound`. O(log n).
    func firstPosition(from bound: [UInt8]) -> Int {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle].lexicographicallyPrecedes(bound) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The positions of the keys in a range.
    func positions(in range: RangeChoice) -> Range<Int> {
        switch range {
        case .all: return 0..<keys.count
        case .from(let lower): return firstPosition(from: lower)..<keys.count
        case .upTo(let upper): return 0..<firstPosition(from: upper)
        case .between(let lower, let upper):
            let first = firstPosition(from: lower)
            return first..<max(first, firstPosition(from: upper))
        case .prefix(let prefix):
            let first = firstPosition(from: prefix)
            var end = first
            while end < keys.count, keys[end].starts(with: prefix) { end += 1 }
            return first..<end
        }
    }
}

/// A range of keys in an operation.
package enum RangeChoice: Sendable, Hashable {
    case all
    case from([UInt8])
    case upTo([UInt8])
    case between([UInt8], [UInt8])
    case prefix([UInt8])

    package var keyRange: KeyRange {
        switch self {
        case .all: .all
        case .from(let lower): .from(lower)
        case .upTo(let upper): .upTo(upper)
        case .between(let lower, let upper): .range(from: lower, to: upper)
        case .prefix(let prefix): .prefix(prefix)
        }
    }
}
