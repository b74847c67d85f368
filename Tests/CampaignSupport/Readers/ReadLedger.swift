internal import HeartwoodTesting

/// What readers may see, kept by the writer and by the readers themselves, without a lock.
///
/// Of each key: the newest write that is known to be visible, for its writer was told so or a reader has seen it; the
/// newest one that was begun; the newest removal that was begun. What a read returns must be no older than the first
/// was when it began and no newer than the second is when it ends; and it may find nothing only where the key was
/// removed between. So single reads are linearizable, among each other too. Of each write: the state that it makes, as
/// a sum over all keys, which a reader of a held state must come to.
final class ReadLedger: Sendable {
    /// A write and whether it removed: twice the number, and one more for a removal.
    private let floor: AtomicNumbers
    private let begun: AtomicNumbers
    private let removed: AtomicNumbers
    /// Sums by write, in a ring: number, sum, count.
    private let sums: AtomicNumbers
    private static let ring = 1 << 15
    /// Which keys the writer is at: a rank.
    private let focus = AtomicNumbers(count: 1)
    private let quiet = AtomicNumbers(count: 1)

    init(keys: Int) {
        floor = AtomicNumbers(count: keys)
        begun = AtomicNumbers(count: keys)
        removed = AtomicNumbers(count: keys)
        sums = AtomicNumbers(count: 3 * Self.ring)
    }

    // MARK: - The writer's

    /// Before readers can see anything of a write.
    func begin(_ rank: Int, _ number: UInt64, isRemoval: Bool) {
        if isRemoval { removed[rank] = number }
        begun[rank] = number
        focus[0] = UInt64(rank)
    }

    /// Once all readers must see it.
    func finish(_ rank: Int, _ number: UInt64, isRemoval: Bool) {
        floor.raise(rank, to: number << 1 | (isRemoval ? 1 : 0))
    }

    /// Before the state can be held.
    func note(_ state: StateSum, after number: UInt64) {
        let at = 3 * Int(number % UInt64(Self.ring))
        sums[at] = 0
        sums[at + 1] = state.sum
        sums[at + 2] = state.count
        sums[at] = number
    }

    /// Whether readers should hold nothing now.
    var isQuiet: Bool {
        get { quiet[0] == 1 }
        set { quiet[0] = newValue ? 1 : 0 }
    }

    // MARK: - The readers'

    var attention: Int { Int(focus[0]) }

    /// To be asked before a read.
    func lowest(_ rank: Int) -> UInt64 { floor[rank] }

    /// Judges what a read has found; nil where all is well.
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

    /// The state after a write; nil if too many writes have been made since.
    func state(after number: UInt64) -> StateSum? {
        if number == 0 { return StateSum() }
        let at = 3 * Int(number % UInt64(Self.ring))
        guard sums[at] == number else { return nil }
        let state = StateSum(sum: sums[at + 1], count: sums[at + 2])
        return sums[at] == number ? state : nil
    }
}

/// All keys with the writes that set them, as a number.
struct StateSum: Sendable, Hashable {
    private(set) var sum: UInt64 = 0
    private(set) var count: UInt64 = 0

    init() {}

    init(sum: UInt64, count: UInt64) {
        self.sum = sum
        self.count = count
    }

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

/// What must never happen.
struct ReadViolation: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
