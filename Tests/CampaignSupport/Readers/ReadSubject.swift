internal import Heartwood
internal import HeartwoodTesting

/// What is read and written at the same time: an index or a store.
///
/// Reads say of which write the value is, and throw `ReadViolation` where it can't be that of the key.
protocol ReadSubject: Sendable {
    associatedtype Held: Sendable
    var keys: ReaderKeys { get }

    // MARK: By the one writer

    /// The number that the next write gets.
    var nextNumber: UInt64 { get }
    /// Makes a write. Returns the number up to which everything is visible now.
    mutating func write(_ changes: [KeyChange]) async throws -> UInt64
    /// Makes everything visible, and looks whether all is sound that nobody could see while it was in use.
    mutating func finish() async throws -> Churn

    // MARK: By readers

    func find(_ rank: Int) throws -> UInt64?
    /// Holds a state.
    func hold(_ random: inout SeededRandom) throws -> Held
    func number(of held: Held) -> UInt64
    func find(_ rank: Int, in held: Held) throws -> UInt64?
    /// Calls `body` with the keys of a range, and the write of each.
    func scan(
        _ held: Held, _ range: KeyRange, reversed: Bool, _ body: (UnsafeRawBufferPointer, UInt64?) throws -> Void
    ) throws
    func release(_ held: Held)
}

/// How often a tree has changed its shape; of a store nobody knows.
package struct Churn: Sendable {
    package var splits = 0
    package var merges = 0
    package var freedNodes = 0
    package var reusedNodes = 0

    /// Something that should have happened has not.
    package var isLacking: Bool { splits == 0 || merges == 0 || freedNodes == 0 || reusedNodes == 0 }

    static func += (total: inout Churn, more: Churn) {
        total.splits += more.splits
        total.merges += more.merges
        total.freedNodes += more.freedNodes
        total.reusedNodes += more.reusedNodes
    }
}

/// What a write makes of a key: nobody else's value looks like it.
struct WrittenMark {
    let bits: UInt64

    init(_ rank: Int, _ number: UInt64) { bits = SeededRandom.mix(number &* 0x1_0000_0001 &+ UInt64(rank) << 40) }

    /// Milliseconds since 1970, never reached, or 0.
    var expiry: UInt64 { bits % 7 == 0 ? 1 << 45 | bits >> 24 : 0 }
}
