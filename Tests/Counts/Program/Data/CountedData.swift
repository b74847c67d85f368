internal import HeartwoodTesting

/// Keys and values, the same in every run: keys of 16 random bytes, values of 100, as in the benchmarks.
struct CountedData {
    static let keyBytes = 16
    static let valueBytes = 100
    /// The number of keys in a store or an index before operations are counted: enough for a tree of three levels.
    static let filled = 50_000

    /// The keys of a filled store or index.
    static func keys(_ count: Int = filled) -> [[UInt8]] { keys(count, 1) }

    /// Other keys, none of which is among the first.
    static func otherKeys(_ count: Int) -> [[UInt8]] { keys(count, 2) }

    /// Values to use in rotation.
    static let values: [[UInt8]] = bytes(64, of: valueBytes, 3)

    /// A document of a kilobyte, as services store it.
    static let document: [UInt8] = {
        var random = SeededRandom(2026, 4)
        var items: [String] = []
        while items.count < 8 {
            let number = random.below(1_000_000)
            items.append(
                "{\"id\":\(number),\"name\":\"article \(random.below(5_000))\",\"price\":\(random.below(100_000)),"
                    + "\"currency\":\"EUR\",\"tags\":[\"new\",\"sale\"],\"inStock\":\(random.oneIn(2))}")
        }
        return Array("{\"customer\":\"c-\(random.below(99_999))\",\"items\":[\(items.joined(separator: ","))]}".utf8)
    }()

    /// The second half of each key is its number, so that all keys differ.
    private static func keys(_ count: Int, _ part: UInt64) -> [[UInt8]] {
        var random = SeededRandom(2026, part)
        return (0..<count).map { number in
            let (head, tail) = (random.next(), UInt64(number) << 8 | part)
            return (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? head : tail) >> (UInt64($0) % 8 * 8)) }
        }
    }

    private static func bytes(_ count: Int, of length: Int, _ part: UInt64) -> [[UInt8]] {
        var random = SeededRandom(2026, part)
        return (0..<count).map { _ in (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
    }
}

/// Walks over a list repeatedly, a part with each call.
final class Walk {
    private let count: Int
    private var position = 0

    init(_ count: Int) { self.count = count }

    /// Calls `body` with the next `times` positions.
    @inline(__always)
    func next(_ times: Int, _ body: (Int) throws -> Void) rethrows {
        for _ in 0..<times { try body(next()) }
    }

    /// The next position.
    @inline(__always)
    func next() -> Int {
        defer { position = position &+ 1 == count ? 0 : position &+ 1 }
        return position
    }
}
