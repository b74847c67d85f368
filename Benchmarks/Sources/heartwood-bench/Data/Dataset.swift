/// The keys and values of a row, the same for every engine.
struct Dataset: Sendable {
    /// Bytes of a key.
    static let keyBytes = 16
    /// Bytes of a value, but for rows that say otherwise.
    static let valueBytes = 100

    /// What values are.
    enum Contents: String, Sendable, Codable, Hashable {
        /// Random bytes, which nothing compresses.
        case random
        /// Documents of some 700 bytes of JSON.
        case json
    }

    /// Number of distinct keys that a filled store has; there are more where rows insert new ones.
    let keyCount: Int
    /// Bytes of each value; of documents, on average.
    let valueBytes: Int
    /// Distinct values. The key of a number first gets the value of that number, counted round.
    let values: [[UInt8]]
    let order: KeySource.Order
    /// The sum of the bytes of each value.
    private let valueSums: [UInt64]

    init(
        seed: UInt64, keyCount: Int, valueBytes: Int = Dataset.valueBytes, contents: Contents = .random,
        order: KeySource.Order = .random
    ) {
        var random = SplitMix64(seed: seed)
        let count = Self.valueCount(valueBytes)
        switch contents {
        case .random: values = (0..<count).map { _ in random.bytes(valueBytes) }
        case .json: values = (0..<count).map { _ in JSONDocument.make(&random) }
        }
        self.keyCount = keyCount
        self.order = order
        self.valueBytes = contents == .random ? valueBytes : values.reduce(0) { $0 + $1.count } / count
        valueSums = values.map { value in value.reduce(0) { $0 + UInt64($1) } }
    }

    /// Prime, so that a key gets another value each time round, and few enough for the processor's cache.
    private static func valueCount(_ valueBytes: Int) -> Int {
        let primes = [8_191, 4_093, 2_039, 1_021, 509, 251, 127, 61, 31, 13]
        return primes.first { $0 * valueBytes <= 8 << 20 } ?? 13
    }

    /// Bytes of a key and a value.
    var pairBytes: Int { Self.keyBytes + valueBytes }

    /// That many keys, in the order of the data.
    func keys(_ count: Int? = nil) -> KeySource { KeySource(count: count ?? keyCount, order: order) }

    /// The first value of a key's number.
    @inline(__always)
    func value(_ number: Int) -> [UInt8] { values[number % values.count] }

    /// The sum of the bytes of the first value of a key's number.
    @inline(__always)
    func sum(_ number: Int) -> UInt64 { valueSums[number % valueSums.count] }

    /// What the bytes of the first values of all keys add up to.
    var sumOfAll: UInt64 { (0..<keyCount).reduce(0) { $0 &+ sum($1) } }
}
