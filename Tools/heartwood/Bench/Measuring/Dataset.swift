/// The keys and values of a workload, the same for every engine.
struct Dataset: Sendable {
    /// Bytes of a key.
    static let keyBytes = 16
    /// Bytes of a value, except where another size is set.
    static let valueBytes = 100

    /// Number of keys of a filled store. Workloads that insert new keys have more.
    let keyCount: Int
    /// Bytes of each value; the average if they differ.
    let valueBytes: Int
    /// Distinct values. A key's first value is that of its number, modulo the count of values.
    let values: [[UInt8]]
    let order: KeySource.Order
    /// The sum of the bytes of each value.
    private let valueSums: [UInt64]

    /// - Parameter makeValue: Makes a value; by default random bytes, which are incompressible.
    init(
        seed: UInt64, keyCount: Int, valueBytes: Int = Dataset.valueBytes, order: KeySource.Order = .random,
        makeValue: ((inout SplitMix64) -> [UInt8])? = nil
    ) {
        var random = SplitMix64(seed: seed)
        let count = Self.valueCount(valueBytes)
        values = (0..<count).map { _ in makeValue?(&random) ?? random.bytes(valueBytes) }
        self.keyCount = keyCount
        self.order = order
        self.valueBytes = makeValue == nil ? valueBytes : values.reduce(0) { $0 + $1.count } / count
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
