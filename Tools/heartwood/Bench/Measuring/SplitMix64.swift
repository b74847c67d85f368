/// A small, seeded generator: the same data in every run, on every machine. In this module, so that it is inlined into
/// the measured loops.
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    @inline(__always)
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    /// A uniformly distributed number from 0 to `limit`, exclusive.
    @inline(__always)
    mutating func next(below limit: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(limit)).high)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var word: UInt64 = 0
            for position in 0..<count {
                if position % 8 == 0 { word = next() }
                buffer.initializeElement(at: position, to: UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
            initialized = count
        }
    }

    /// A bijective mix of a number's bits: consecutive numbers become unrelated ones.
    @inline(__always)
    static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The inverse of `mixed`.
    static func unmixed(_ mixed: UInt64) -> UInt64 {
        var number = mixed
        number ^= (number >> 31) ^ (number >> 62)
        number = number &* 0x3196_42B2_D24D_8EC3
        number ^= (number >> 27) ^ (number >> 54)
        number = number &* 0x96DE_1B17_3F11_9089
        return number ^ (number >> 30) ^ (number >> 60)
    }
}
