/// The puts of one writer: which key gets which value. The sequence is the same for the same arguments, so the expected
/// contents of the store can be computed again instead of being recorded.
struct KeyWalk: Sendable {
    /// The order of the keys.
    enum Order: Sendable {
        /// Every key of the writer's range by its number, repeatedly.
        case sequential
        /// Random keys of the writer's range.
        case random(seed: UInt64)
    }

    /// The key's number.
    private(set) var number: Int
    /// The index of the value in the data's values.
    private(set) var value: Int
    private let range: Range<Int>
    private let valueCount: Int
    private var random: SplitMix64?

    /// - Parameters:
    ///   - range: The numbers of the writer's keys. No two writers share a key.
    ///   - round: How often all keys were put before: they get other values now.
    init(_ order: Order, _ range: Range<Int>, valueCount: Int, round: Int = 0) {
        self.range = range
        self.valueCount = valueCount
        // One before the first, because `advance` is called before each put.
        number = range.lowerBound - 1
        // The factor is prime and no count of values, so a key doesn't get its current value again.
        value = (range.lowerBound + round * 7_919 + valueCount - 1) % valueCount
        if case .random(let seed) = order {
            random = SplitMix64(seed: seed)
            value = (value + Int(truncatingIfNeeded: seed % 1_000)) % valueCount
        }
    }

    /// Moves to the next put.
    @inline(__always)
    mutating func advance() {
        value &+= 1
        if value == valueCount { value = 0 }
        if random != nil {
            number = range.lowerBound &+ random!.next(below: range.count)
        } else {
            number &+= 1
            if number == range.upperBound { number = range.lowerBound }
        }
    }

    /// The range of one writer of several.
    static func range(of writer: Int, of writers: Int, in count: Int) -> Range<Int> {
        count * writer / writers..<count * (writer + 1) / writers
    }
}
