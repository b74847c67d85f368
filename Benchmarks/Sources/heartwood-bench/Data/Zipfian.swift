internal import Foundation

/// Random numbers from 0, each less likely than the one before, by Zipf's law.
///
/// The generator of YCSB (Cooper et al., "Benchmarking cloud serving systems with YCSB", SoCC 2010), which is the
/// algorithm of Gray et al., "Quickly generating billion-record synthetic databases", SIGMOD 1994.
struct Zipfian: Sendable {
    /// YCSB's skew.
    static let theta = 0.99
    /// The limit of the numbers.
    private(set) var count: Int
    private var zeta: Double
    private var eta = 0.0
    private let zetaOfTwo: Double
    private static let alpha = 1 / (1 - theta)

    init(_ count: Int) {
        self.init(count, zeta: (1...count).reduce(0) { $0 + 1 / pow(Double($1), Self.theta) })
    }

    private init(_ count: Int, zeta: Double) {
        self.count = count
        self.zeta = zeta
        zetaOfTwo = 1 + pow(0.5, Self.theta)
        updateEta()
    }

    /// Increases the limit by one.
    mutating func grow() {
        count += 1
        zeta += 1 / pow(Double(count), Self.theta)
        updateEta()
    }

    private mutating func updateEta() {
        eta = (1 - pow(2 / Double(count), 1 - Self.theta)) / (1 - zetaOfTwo / zeta)
    }

    @inline(__always)
    func next(_ random: inout SplitMix64) -> Int {
        // A Double below 1 has 53 bits.
        let uniform = Double(random.next() >> 11) * 0x1p-53
        let scaled = uniform * zeta
        if scaled < 1 { return 0 }
        if scaled < zetaOfTwo { return 1 }
        return min(count - 1, Int(Double(count) * pow(eta * uniform - eta + 1, Self.alpha)))
    }
}

/// Random numbers below a limit, with likely and unlikely ones in mixed order. As in YCSB, a number below 10^10 is
/// drawn by Zipf's law, and the result is the remainder of its hash.
struct ScrambledZipfian: Sendable {
    private let zipfian = Zipfian.ofYCSB
    private let limit: UInt64

    init(below limit: Int) { self.limit = UInt64(limit) }

    @inline(__always)
    func next(_ random: inout SplitMix64) -> Int {
        Int(Self.hash(UInt64(zipfian.next(&random))) % limit)
    }

    /// FNV-1a of the eight bytes, without the sign, as in YCSB.
    private static func hash(_ number: UInt64) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var rest = number
        for _ in 0..<8 {
            hash ^= rest & 0xFF
            hash &*= 1_099_511_628_211
            rest >>= 8
        }
        return Int64(bitPattern: hash).magnitude
    }
}

extension Zipfian {
    /// The distribution of YCSB's scrambled generator. Computing its sum would take minutes.
    fileprivate static let ofYCSB = Zipfian(10_000_000_000, zeta: 26.469_028_201_783_02)
}
