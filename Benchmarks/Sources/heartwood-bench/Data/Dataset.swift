/// The keys and values of a row, the same for every engine.
struct Dataset: Sendable {
    /// Bytes of a key.
    static let keyBytes = 16
    /// Bytes of a value, except in rows that set another size.
    static let valueBytes = 100

    /// The kind of values.
    enum Contents: String, Sendable, Codable, Hashable {
        /// Random bytes, which are incompressible.
        case random
        /// JSON documents of about 700 bytes.
        case json
    }

    /// Number of keys of a filled store. Rows that insert new keys have more.
    let keyCount: Int
    /// Bytes of each value; the average for documents.
    let valueBytes: Int
    /// Distinct values. A key's first value is that of its number, modulo the count of values.
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

    /// A prime number, so that a key gets another value in each round, and small enough for the processor's cache.
    private static func valueCount(_ valueBytes: Int) -> Int {
        let primes = [8_191, 4_093, 2_039, 1_021, 509, 251, 127, 61, 31, 13]
        return primes.first { $0 * valueBytes <= 8 << 20 } ?? 13
    }

    /// Bytes of a key and a value.
    var pairBytes: Int { Self.keyBytes + valueBytes }

    /// Keys in the order of the data; `keyCount` of them if `count` is nil.
    func keys(_ count: Int? = nil) -> KeySource { KeySource(count: count ?? keyCount, order: order) }

    /// The first value of the key with that number.
    @inline(__always)
    func value(_ number: Int) -> [UInt8] { values[number % values.count] }

    /// The sum of the bytes of the first value of the key with that number.
    @inline(__always)
    func sum(_ number: Int) -> UInt64 { valueSums[number % valueSums.count] }

    /// The sum of the bytes of the first values of all keys.
    var sumOfAll: UInt64 { (0..<keyCount).reduce(0) { $0 &+ sum($1) } }
}
