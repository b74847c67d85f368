internal import Heartwood
internal import HeartwoodTesting

/// An index or a store that is read and written at the same time.
///
/// Reads return the number of the write that made the value, and throw a `Violation` if the value isn't of that key.
protocol ReadSubject: Sendable {
    associatedtype Pin: Sendable
    var keys: ReaderKeys { get }

    // MARK: The writer

    /// The number of the next write.
    var nextNumber: UInt64 { get }
    /// Writes. Returns the number up to which everything is visible now.
    mutating func write(_ changes: [KeyChange]) async throws -> UInt64
    /// Makes everything visible, and checks what can't be checked during use. Returns how often a tree has changed its
    /// shape; nothing for a store.
    mutating func finish() async throws -> Tally

    // MARK: Readers

    func find(_ rank: Int) throws -> UInt64?
    /// Pins a state.
    func pin(_ random: inout SeededRandom) throws -> Pin
    func number(of pin: Pin) -> UInt64
    func find(_ rank: Int, in pin: Pin) throws -> UInt64?
    /// Calls `body` with each key of a range and its write.
    func scan(
        _ pin: Pin, _ range: KeyRange, reversed: Bool, _ body: (UnsafeRawBufferPointer, UInt64?) throws -> Void
    ) throws
    func release(_ pin: Pin)
}

/// A number that only one write of one key has.
struct ValueTag {
    let bits: UInt64

    init(_ rank: Int, _ number: UInt64) { bits = SeededRandom.mix(number &* 0x1_0000_0001 &+ UInt64(rank) << 40) }

    /// Milliseconds since 1970, never reached, or 0.
    var expiry: UInt64 { bits % 7 == 0 ? 1 << 45 | bits >> 24 : 0 }
}
