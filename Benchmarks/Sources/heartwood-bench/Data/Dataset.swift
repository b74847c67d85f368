/// The keys and values of every workload, the same for every engine.
struct Dataset: Sendable {
    /// Bytes of a key.
    static let keyBytes = 16
    /// Bytes of a value, but for workloads that say otherwise.
    static let valueBytes = 100
    /// Number of distinct values; prime, so that a key gets another value each time round, and few enough for the
    /// processor's cache.
    static let valueCount = 8_191

    /// Number of distinct keys: what goes beyond them overwrites.
    let keyCount: Int
    /// Bytes of each value.
    let valueBytes: Int
    /// Distinct random values. The key of a number first gets the value of that number, counted round.
    let values: [[UInt8]]
    /// The sum of the bytes of each value.
    private let valueSums: [UInt64]

    init(seed: UInt64, keyCount: Int, valueBytes: Int = Dataset.valueBytes) {
        var random = SplitMix64(seed: seed)
        self.keyCount = keyCount
        self.valueBytes = valueBytes
        values = (0..<Self.valueCount).map { _ in random.bytes(valueBytes) }
        valueSums = values.map { value in value.reduce(0) { $0 + UInt64($1) } }
    }

    private init(of other: Dataset, keyCount: Int) {
        self.keyCount = keyCount
        valueBytes = other.valueBytes
        values = other.values
        valueSums = other.valueSums
    }

    /// The same with another number of keys.
    func with(keyCount: Int) -> Dataset { Dataset(of: self, keyCount: keyCount) }

    /// Bytes of all keys, each with one value.
    var pairBytes: Int { keyCount * (Self.keyBytes + valueBytes) }

    /// What names it among others, as far as stores are filled with it.
    var tag: String { valueBytes == Self.valueBytes ? "\(keyCount)" : "\(keyCount)-\(valueBytes)" }

    /// The keys in this order.
    func keys(_ order: KeySource.Order = .random) -> KeySource { KeySource(count: keyCount, order: order) }

    /// The first value of a key's number.
    @inline(__always)
    func value(_ number: Int) -> [UInt8] { values[number % Self.valueCount] }

    /// Pairs from the position of one writer among several on, for ever.
    func pairs(
        _ order: KeySource.Order = .random, writer: Int = 0, of writers: Int = 1, skipping skipped: Int = 0
    ) -> Pairs {
        Pairs(data: self, keys: keys(order), start: keyCount / writers * writer + skipped)
    }

    /// Pairs of random keys, each key as likely as the others, for ever.
    func overwrites(seed: UInt64) -> Overwrites { Overwrites(data: self, seed: seed) }

    /// What the bytes of all first values of that many keys, chosen by these numbers, add up to: what a reader must
    /// have seen.
    func sum(of count: Int, chosenBy numbers: RandomNumbers) -> UInt64 {
        var numbers = numbers
        return (0..<count).reduce(0) { sum, _ in sum &+ valueSums[numbers.next() % Self.valueCount] }
    }

    /// What the bytes of the first values of all keys add up to.
    var sumOfAll: UInt64 {
        (0..<keyCount).reduce(0) { $0 &+ valueSums[$1 % Self.valueCount] }
    }
}

/// An endless walk over keys and values: all keys with their first values, then all keys with other values, and so on.
struct Pairs {
    /// The key of the pair that `advance` made.
    private(set) var key: [UInt8]
    private let values: [[UInt8]]
    private let keys: KeySource
    private var number: Int
    private var valueNumber: Int

    init(data: Dataset, keys: KeySource, start: Int) {
        self.keys = keys
        values = data.values
        key = keys.makeBuffer()
        // One before the first: `advance` comes before each pair.
        number = (start + keys.count - 1) % keys.count
        valueNumber = (start + Dataset.valueCount - 1) % Dataset.valueCount
    }

    /// The value of the pair that `advance` made.
    var value: [UInt8] {
        @inline(__always) get { values[valueNumber] }
    }

    /// Goes to the next pair.
    @inline(__always)
    mutating func advance() {
        number &+= 1
        if number == keys.count { number = 0 }
        valueNumber &+= 1
        if valueNumber == Dataset.valueCount { valueNumber = 0 }
        keys.write(number, to: &key)
    }
}

/// An endless row of random keys, each with another value than the one before.
struct Overwrites {
    /// The key of the pair that `advance` made.
    private(set) var key: [UInt8]
    private let values: [[UInt8]]
    private let keys: KeySource
    private var numbers: RandomNumbers
    private var valueNumber: Int

    init(data: Dataset, seed: UInt64) {
        keys = data.keys()
        values = data.values
        key = keys.makeBuffer()
        numbers = RandomNumbers(below: keys.count, seed: seed)
        valueNumber = Int(seed % UInt64(Dataset.valueCount))
    }

    /// The value of the pair that `advance` made.
    var value: [UInt8] {
        @inline(__always) get { values[valueNumber] }
    }

    /// Goes to the next pair.
    @inline(__always)
    mutating func advance() {
        valueNumber &+= 1
        if valueNumber == Dataset.valueCount { valueNumber = 0 }
        keys.write(numbers.next(), to: &key)
    }
}
