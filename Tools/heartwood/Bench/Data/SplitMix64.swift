/// A small, seeded generator: the same data in every run, on every machine.
struct SplitMix64: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    @inline(__always)
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    /// A number from 0 to `limit`, exclusive.
    @inline(__always)
    mutating func next(below limit: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(limit)).high)
    }

    /// A bijective mixing function: consecutive numbers become unrelated numbers, and no two become the same.
    @inline(__always)
    static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
