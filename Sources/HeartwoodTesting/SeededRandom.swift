internal import HeartwoodFileSystem

/// A random number generator that gives the same numbers for the same seed on all systems and in all versions.
///
/// The algorithm is SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// An independent generator for each list of parts: a seed, then numbers for its purpose.
    public init(_ parts: UInt64...) {
        state = 0
        for part in parts { state = Self.mix(state &+ 0x9E37_79B9_7F4A_7C15 ^ Self.mix(part)) }
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// A number from 0 to `bound` - 1. `bound` must be at least 1.
    public mutating func below(_ bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// A number in a range.
    public mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.count)
    }

    /// True once in `count` times, on average.
    public mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    /// A random element of `choices`, which must not be empty.
    public mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

    /// Mixes the bits of a number, so that each bit affects all of the result.
    public static func mix(_ number: UInt64) -> UInt64 { PagedBytes.mix(number) }
}
