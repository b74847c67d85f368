internal import HeartwoodFormat

/// A 128-bit hash of a key, used in place of the key to tell keys apart.
///
/// It consists of two multiply-and-fold hashes (like wyhash) with different constants. It does not resist deliberate
/// collisions.
struct KeyHash: Hashable {
    let high: UInt64
    let low: UInt64

    init(_ key: UnsafeRawBufferPointer) {
        var (a, b) = (0x9E37_79B9_7F4A_7C15 as UInt64, 0xD6E8_FEB8_6659_FD93 as UInt64)
        var at = 0
        while at + 8 <= key.count {
            Self.mix(key.load(UInt64.self, littleEndianAt: at), &a, &b)
            at += 8
        }
        var rest: UInt64 = 0
        while at < key.count {
            rest = rest << 8 | UInt64(key[at])
            at += 1
        }
        Self.mix(rest, &a, &b)
        Self.mix(UInt64(key.count), &a, &b)
        (high, low) = (a, b)
    }

    @inline(__always)
    private static func mix(_ word: UInt64, _ a: inout UInt64, _ b: inout UInt64) {
        a = fold((a ^ word), 0xA076_1D64_78BD_642F)
        b = fold((b &+ word) ^ 0xE703_7ED1_A0B4_28DB, 0x8EBC_6AF0_9C88_C6E3)
    }

    @inline(__always)
    private static func fold(_ x: UInt64, _ y: UInt64) -> UInt64 {
        let product = (x | 1 << 63).multipliedFullWidth(by: y)
        return product.high ^ product.low ^ x
    }

    func hash(into hasher: inout Hasher) { hasher.combine(low) }
}

/// Processes hashes in several passes. Each pass takes a range of hashes that fits into a table of limited size.
struct HashPasses {
    private var first: UInt64 = 0
    private var last = UInt64.max
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    @inline(__always)
    func contains(_ hash: KeyHash) -> Bool { hash.high >= first && hash.high <= last }

    /// The share of all hashes that this pass takes.
    var share: Double { (Double(last - first) + 1) / 18_446_744_073_709_551_616 }

    /// The share of all hashes that was taken up to the end of this pass.
    var taken: Double { (Double(last) + 1) / 18_446_744_073_709_551_616 }

    /// If a table has grown too large, halves the range and removes the entries outside it.
    mutating func bound<Value>(_ table: inout [KeyHash: Value]) {
        guard table.count > capacity, last > first else { return }
        last = first + (last - first) / 2
        let end = last
        table = table.filter { $0.key.high <= end }
    }

    /// Moves to the range after this pass. Returns false if all hashes were taken.
    mutating func next() -> Bool {
        guard last < .max else { return false }
        first = last + 1
        last = .max
        return true
    }
}
