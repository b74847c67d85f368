/// The steps of one writer: which key gets which value. The same again when it is made again, so that what must be in
/// the store is known without being kept.
struct KeyWalk: Sendable {
    /// How keys follow each other.
    enum Order: Sendable {
        /// Each key of the writer's range, by its number, again and again.
        case inTurn
        /// Any key of the writer's range, each as likely as the others.
        case anyKey(seed: UInt64)
    }

    /// The key's number.
    private(set) var number: Int
    /// Which of the data's values it gets.
    private(set) var value: Int
    private let range: Range<Int>
    private let valueCount: Int
    private var random: RandomNumbers?

    /// - Parameters:
    ///   - range: The numbers of the writer's keys, which are no other writer's.
    ///   - round: How often all keys had a value before: they get another one now.
    init(_ order: Order, _ range: Range<Int>, valueCount: Int, round: Int = 0) {
        self.range = range
        self.valueCount = valueCount
        // One before the first: `advance` comes before each step.
        number = range.lowerBound - 1
        // A factor that no number of values has, so that a key doesn't get the value that it has.
        value = (range.lowerBound + round * 7_919 + valueCount - 1) % valueCount
        if case .anyKey(let seed) = order {
            random = RandomNumbers(below: range.count, seed: seed)
            value = (value + Int(truncatingIfNeeded: seed % 1_000)) % valueCount
        }
    }

    /// Goes to the next step.
    @inline(__always)
    mutating func advance() {
        value &+= 1
        if value == valueCount { value = 0 }
        if random != nil {
            number = range.lowerBound &+ random!.next()
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
