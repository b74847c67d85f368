internal import HeartwoodTesting

/// What readers may see. The writer and the readers update it without a lock.
///
/// For each key it keeps the newest write that is known to be visible (the writer was told so, or a reader has seen
/// it), the newest write that was begun, and the newest removal that was begun. A read must return nothing older than
/// the first was when the read began, and nothing newer than the second is when it ends. It may find nothing only if
/// the key was removed between. So single reads are linearizable, also among each other.
///
/// For each write it keeps the resulting state as a sum over all keys. A reader of a pinned state must get that sum.
final class ReadLedger: Sendable {
    /// Twice the number of the write, plus one for a removal.
    private let floor: AtomicNumbers
    private let begun: AtomicNumbers
    private let removed: AtomicNumbers
    /// Sums by write, in a ring: number, sum, count.
    private let sums: AtomicNumbers
    private static let ring = 1 << 15
    /// The rank of the key that is being written.
    private let focus = AtomicNumbers(count: 1)
    private let quiet = AtomicNumbers(count: 1)

    init(keys: Int) {
        floor = AtomicNumbers(count: keys)
        begun = AtomicNumbers(count: keys)
        removed = AtomicNumbers(count: keys)
        sums = AtomicNumbers(count: 3 * Self.ring)
    }

    // MARK: - The writer

    /// Called before readers can see anything of a write.
    func begin(_ rank: Int, _ number: UInt64, isRemoval: Bool) {
        if isRemoval { removed[rank] = number }
        begun[rank] = number
        focus[0] = UInt64(rank)
    }

    /// Called when all readers must see the write.
    func finish(_ rank: Int, _ number: UInt64, isRemoval: Bool) {
        floor.raise(rank, to: number << 1 | (isRemoval ? 1 : 0))
    }

    /// Called before the state can be pinned.
    func note(_ state: StateSum, after number: UInt64) {
        let at = 3 * Int(number % UInt64(Self.ring))
        sums[at] = 0
        sums[at + 1] = state.sum
        sums[at + 2] = state.count
        sums[at] = number
    }

    /// Whether readers should pin nothing now.
    var isQuiet: Bool {
        get { quiet[0] == 1 }
        set { quiet[0] = newValue ? 1 : 0 }
    }

    // MARK: - The readers

    var attention: Int { Int(focus[0]) }

    /// The lower bound for a read that begins now.
    func lowest(_ rank: Int) -> UInt64 { floor[rank] }

    /// What is wrong with the result of a read; nil if it is right.
    func fault(_ rank: Int, found: UInt64?, lowest: UInt64) -> String? {
        let least = lowest >> 1
        guard let found else {
            if lowest & 1 == 1 || least == 0 || removed[rank] > least { return nil }
            return "nothing was found, though write \(least) was visible and nothing has removed it"
        }
        if found > begun[rank] { return "write \(found) was found, and \(begun[rank]) is the newest that was begun" }
        if found < least || (found == least && lowest & 1 == 1) {
            return "write \(found) was found, and \(least) was visible before\(lowest & 1 == 1 ? ", a removal" : "")"
        }
        floor.raise(rank, to: found << 1)
        return nil
    }

    /// The state after a write; nil if too many writes followed.
    func state(after number: UInt64) -> StateSum? {
        if number == 0 { return StateSum() }
        let at = 3 * Int(number % UInt64(Self.ring))
        guard sums[at] == number else { return nil }
        let state = StateSum(sum: sums[at + 1], count: sums[at + 2])
        return sums[at] == number ? state : nil
    }
}

/// A sum over all keys and the writes that set them.
struct StateSum: Sendable, Hashable {
    private(set) var sum: UInt64 = 0
    private(set) var count: UInt64 = 0

    init(sum: UInt64 = 0, count: UInt64 = 0) { (self.sum, self.count) = (sum, count) }

    mutating func add(_ rank: Int, _ number: UInt64) {
        sum &+= Self.term(rank, number)
        count += 1
    }

    mutating func remove(_ rank: Int, _ number: UInt64) {
        sum &-= Self.term(rank, number)
        count -= 1
    }

    private static func term(_ rank: Int, _ number: UInt64) -> UInt64 {
        SeededRandom.mix(number << 20 &+ UInt64(rank) &+ 0x9E37_79B9_7F4A_7C15)
    }
}
