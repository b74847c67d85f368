internal import HeartwoodTesting

/// One key of a write.
struct KeyChange: Sendable {
    var rank: Int
    var isRemoval: Bool
}

/// What is written: in some phases the keys become more or fewer, at random or in order, so that nodes are split,
/// merged, freed and reused. In others a few keys are overwritten.
struct ChangePlan {
    private enum Phase: CaseIterable {
        case growing, shrinking, ascending, removingAscending, descending, removingDescending, hot, clearing
    }

    private var random: SeededRandom
    private let keys: Int
    private var phase = Phase.growing
    private var phases = 0
    private var left: Int
    /// The next key of a phase that goes from key to key.
    private var next = 0

    init(keys: Int, seed: UInt64) {
        self.keys = keys
        random = SeededRandom(seed, 11)
        left = 2 * keys
    }

    /// Whether no state should be pinned. Pinned states keep removed keys in the tree.
    var isQuiet: Bool { phases % 4 < 2 }

    /// The changes of the next write.
    mutating func write() -> [KeyChange] {
        if left <= 0 { startPhase() }
        let count = random.oneIn(2) ? 1 : random.number(in: 2...16)
        left -= count
        return (0..<count).map { _ in change() }
    }

    private mutating func startPhase() {
        // Each phase once, then any.
        phases += 1
        let all = Phase.allCases
        phase = phases < all.count ? all[phases] : random.pick(all)
        left = phase == .hot ? keys / 2 : keys
        next = phase == .descending || phase == .removingDescending ? keys - 1 : 0
    }

    private mutating func change() -> KeyChange {
        switch phase {
        case .growing: return KeyChange(rank: random.below(keys), isRemoval: random.oneIn(12))
        case .shrinking: return KeyChange(rank: random.below(keys), isRemoval: !random.oneIn(12))
        case .ascending: return step(by: 1, isRemoval: false)
        case .removingAscending: return step(by: 1, isRemoval: true)
        case .descending: return step(by: -1, isRemoval: false)
        case .removingDescending: return step(by: -1, isRemoval: true)
        case .clearing: return step(by: 1, isRemoval: true)
        case .hot:
            // A few neighbours; others after some hundred writes.
            let start = SeededRandom.mix(UInt64(left / 512)) % UInt64(keys)
            return KeyChange(rank: (Int(start) + random.below(8)) % keys, isRemoval: random.oneIn(4))
        }
    }

    private mutating func step(by distance: Int, isRemoval: Bool) -> KeyChange {
        let rank = next
        next = (next + distance + keys) % keys
        // Some are the opposite, so that not all nodes end alike.
        let isOther = phase != .clearing && random.oneIn(40)
        return KeyChange(rank: rank, isRemoval: isRemoval != isOther)
    }
}
