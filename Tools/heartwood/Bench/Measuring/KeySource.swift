/// Keys that are computed from their number into a reused array. Ten million keys need no memory, and making a key
/// causes no cache miss that would count as the store's.
struct KeySource: Sendable {
    /// The order of the keys by their number.
    enum Order: String, Sendable {
        /// In random order.
        case random
        /// In the order of unsigned bytes, with random distances.
        case ascending
    }

    let count: Int
    /// Bytes of each key; at least 8.
    let keyBytes: Int
    let order: Order
    private let distance: UInt64
    /// Added to each number, so that the first key isn't zeros.
    private static let offset: UInt64 = 0x5851_F42D_4C95_7F2D

    init(count: Int, keyBytes: Int = Dataset.keyBytes, order: Order = .random) {
        precondition(count > 0 && keyBytes >= 8)
        self.count = count
        self.keyBytes = keyBytes
        self.order = order
        distance = UInt64.max / UInt64(count)
    }

    /// A buffer for `write`.
    func makeBuffer() -> [UInt8] { [UInt8](repeating: 0, count: keyBytes) }

    /// Writes the key with that number, less than `count`, to an array of `keyBytes`.
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
    /// Sorts a slice of the keys at a time, so that it needs little memory.
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

    /// The number of a key. For bytes that are no key, the result is out of range, or the number of another key.
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

    /// The first eight bytes, as a big-endian number; unique for each key.
    @inline(__always)
    private func head(_ number: Int) -> UInt64 {
        let mixed = SplitMix64.mixed(UInt64(bitPattern: Int64(number)) &+ Self.offset)
        switch order {
        case .random: return mixed
        case .ascending: return UInt64(number) &* distance &+ mixed.multipliedFullWidth(by: distance).high
        }
    }

    /// Eight of the other bytes, from an offset.
    @inline(__always)
    private func tail(_ number: Int, _ offset: Int) -> UInt64 {
        SplitMix64.mixed(UInt64(bitPattern: Int64(number)) ^ (UInt64(offset) &* 0x9E37_79B9_7F4A_7C15))
    }
}
