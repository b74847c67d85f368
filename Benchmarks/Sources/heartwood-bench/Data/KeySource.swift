/// Keys that are made from their number when they are needed, into an array that is used again: ten million of them
/// take no memory, and making one costs no cache miss that would be charged to a store.
struct KeySource: Sendable {
    /// How the keys lie when they are taken by their number.
    enum Order: String, Sendable {
        /// In no order: each is as far from the one before as any other.
        case random
        /// Each behind the one before, in the order of unsigned bytes, with random distances.
        case ascending
    }

    /// Number of keys.
    let count: Int
    /// Bytes of each; at least 8.
    let keyBytes: Int
    let order: Order
    private let distance: UInt64
    /// So that the first key isn't zeros.
    private static let offset: UInt64 = 0x5851_F42D_4C95_7F2D

    init(count: Int, keyBytes: Int = Dataset.keyBytes, order: Order = .random) {
        precondition(count > 0 && keyBytes >= 8)
        self.count = count
        self.keyBytes = keyBytes
        self.order = order
        distance = UInt64.max / UInt64(count)
    }

    /// An array for `write`.
    func makeBuffer() -> [UInt8] { [UInt8](repeating: 0, count: keyBytes) }

    /// Makes the key of a number, from 0 up to `count` and without it, in an array of `keyBytes`.
    @inline(__always)
    func write(_ number: Int, to key: inout [UInt8]) {
        key.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: head(number).bigEndian, as: UInt64.self)
            var offset = 8
            while offset &+ 8 <= keyBytes {
                bytes.storeBytes(of: tail(number, offset), toByteOffset: offset, as: UInt64.self)
                offset &+= 8
            }
            guard offset < keyBytes else { return }
            var rest = tail(number, offset)
            while offset < keyBytes {
                bytes[offset] = UInt8(truncatingIfNeeded: rest)
                rest >>= 8
                offset &+= 1
            }
        }
    }

    /// Calls `body` with every number, in the order of the keys.
    ///
    /// Sorts a slice of the keys at a time, so that it needs little memory however many there are.
    func forEachInOrder(_ body: (Int) throws -> Void) rethrows {
        guard order == .random else { return try (0..<count).forEach(body) }
        let slices = UInt64(count / 500_000 + 1)
        for slice in 0..<slices {
            var numbers: [(head: UInt64, number: Int)] = []
            numbers.reserveCapacity(count / Int(slices) * 9 / 8)
            for number in 0..<count {
                let head = head(number)
                if head.multipliedFullWidth(by: slices).high == slice { numbers.append((head, number)) }
            }
            numbers.sort { $0.head < $1.head }
            for (_, number) in numbers { try body(number) }
        }
    }

    /// The number of a key that this made; a number that isn't below `count`, or another key's, where it made none
    /// such.
    @inline(__always)
    func number(of key: RawSpan) -> Int {
        guard key.byteCount >= 8 else { return -1 }
        let head = UInt64(bigEndian: key.unsafeLoadUnaligned(as: UInt64.self))
        switch order {
        case .random:
            return Int(truncatingIfNeeded: SplitMix64.unmixed(head) &- Self.offset)
        case .ascending: return Int(truncatingIfNeeded: head / distance)
        }
    }

    /// The first eight bytes, as the number that sorts as they do. No two keys share them.
    @inline(__always)
    private func head(_ number: Int) -> UInt64 {
        let mixed = SplitMix64.mixed(UInt64(bitPattern: Int64(number)) &+ Self.offset)
        switch order {
        case .random: return mixed
        case .ascending: return UInt64(number) &* distance &+ mixed.multipliedFullWidth(by: distance).high
        }
    }

    /// Eight of the other bytes.
    @inline(__always)
    private func tail(_ number: Int, _ offset: Int) -> UInt64 {
        SplitMix64.mixed(UInt64(bitPattern: Int64(number)) ^ (UInt64(offset) &* 0x9E37_79B9_7F4A_7C15))
    }
}

/// Numbers from 0 up to a limit, each as likely as the others, again and again: which key is read next.
struct RandomNumbers {
    private var random: SplitMix64
    private let limit: UInt64

    init(below limit: Int, seed: UInt64) {
        random = SplitMix64(seed: seed)
        self.limit = UInt64(limit)
    }

    @inline(__always)
    mutating func next() -> Int {
        Int(truncatingIfNeeded: random.next().multipliedFullWidth(by: limit).high)
    }
}
