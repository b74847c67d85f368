internal import HeartwoodTesting

/// The keys of a run, by their rank in the order of keys. They have many lengths, so that nodes have many or few of
/// them, inside or outside the node.
struct ReaderKeys: Sendable {
    let keys: [[UInt8]]
    /// The rank of a key, by the number in its last three bytes.
    private let ranks: [Int]

    var count: Int { keys.count }

    init(count: Int, seed: UInt64) {
        var keys = (0..<count).map { Self.key($0, seed) }
        keys.sort { $0.lexicographicallyPrecedes($1) }
        var ranks = [Int](repeating: 0, count: count)
        for (rank, key) in keys.enumerated() { ranks[Self.number(key.suffix(3))] = rank }
        self.keys = keys
        self.ranks = ranks
    }

    /// The rank of a key; nil if it isn't of this run.
    func rank(of key: UnsafeRawBufferPointer) -> Int? {
        guard key.count >= 3 else { return nil }
        let number = Int(key[key.count - 3]) << 16 | Int(key[key.count - 2]) << 8 | Int(key[key.count - 1])
        return number < ranks.count ? ranks[number] : nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func key(_ number: Int, _ seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed, UInt64(number))
        func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
        let tail = [UInt8(number >> 16), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
        let start: [UInt8] =
            switch number % 8 {
            case 0: noise(5)
            // Few of them fill a node, leaf or not.
            case 1: [UInt8(ascii: "w")] + noise(1) + [UInt8](repeating: 0x77, count: 200)
            case 2: [UInt8(ascii: "n"), 0, 0, 0, 0]
            case 3: Array("user:".utf8) + noise(2).map { $0 % 10 + 0x30 }
            // Outside the nodes, and different only after the bytes that a fence keeps.
            case 4: [UInt8](repeating: 0x4C, count: number % 512 == 4 ? 5_000 : 270)
            // Around the limit between inside and outside the node.
            case 5: noise(2) + [UInt8](repeating: 0x77, count: 245 + random.below(16))
            case 6: []
            default: (0..<random.number(in: 6...70)).map { _ in UInt8(random.below(3)) }
            }
        return start + tail
    }
}
