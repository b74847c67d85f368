/// The keys and values of every workload, made before any clock starts.
///
/// Keys are random, so walking over them in their order visits the key space in random order; the arrays themselves
/// lie in memory in that order, so that the harness adds as few cache misses as it can.
struct Dataset: Sendable {
    /// Bytes of a key.
    static let keyBytes = 16
    /// Bytes of a value.
    static let valueBytes = 100
    /// Number of distinct keys: what goes beyond them overwrites.
    static let keyCount = 1_000_000
    /// Number of distinct values; prime, so that a key gets another value each time round.
    static let valueCount = 8_191

    /// The distinct keys, in the order in which they are written first.
    let keys: [[UInt8]]
    /// The same keys in another order, for reading: what was written together isn't read together.
    let shuffledKeys: [[UInt8]]
    /// Distinct random values.
    let values: [[UInt8]]

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        keys = (0..<Self.keyCount).map { _ in random.bytes(Self.keyBytes) }
        values = (0..<Self.valueCount).map { _ in random.bytes(Self.valueBytes) }
        // Copies, not references: read in their own order they lie one behind the other in memory.
        shuffledKeys = keys.shuffled(using: &random).map { key in key.withUnsafeBytes { [UInt8]($0) } }
    }

    /// Pairs from the position of one writer among several on, for ever.
    func pairs(writer: Int = 0, of writers: Int = 1, skipping skipped: Int = 0) -> Pairs {
        let start = Self.keyCount / writers * writer
        return Pairs(
            data: self, key: (start + skipped) % Self.keyCount, value: (start + skipped) % Self.valueCount)
    }

    /// An endless walk over keys and values.
    struct Pairs {
        private let data: Dataset
        private var key: Int
        private var value: Int

        init(data: Dataset, key: Int, value: Int) {
            self.data = data
            self.key = key
            self.value = value
        }

        @inline(__always)
        mutating func next() -> (key: [UInt8], value: [UInt8]) {
            let pair = (data.keys[key], data.values[value])
            key += 1
            if key == Dataset.keyCount { key = 0 }
            value += 1
            if value == Dataset.valueCount { value = 0 }
            return pair
        }
    }
}
