package import HeartwoodTesting
internal import Heartwood

/// Draws the operations of a run. Each depends only on the seed and on its number, so that two runs of one seed do the
/// same even if a crash kept more in one of them.
package struct OperationGenerator: Sendable {
    package typealias Operation = ModelOperation

    let seed: UInt64
    let universe: KeyUniverse
    let storesOnDisk: Bool

    package init(seed: UInt64, universe: KeyUniverse, storesOnDisk: Bool) {
        (self.seed, self.universe, self.storesOnDisk) = (seed, universe, storesOnDisk)
    }

    package func operation(_ number: Int) -> Operation {
        var random = SeededRandom(seed, UInt64(number), 1)
        switch random.below(4000) {
        case ..<1500: return write(1, conditions: 0, &random)
        case ..<1520:
            return .removeRange(
                narrowRange(&random), limit: random.oneIn(2) ? nil : 1 << random.below(5), durability(&random))
        case ..<1700: return write(random.number(in: 2...30), conditions: 0, &random)
        case ..<1920: return write(1, conditions: 1, &random)
        case ..<2000: return write(random.number(in: 1...6), conditions: random.number(in: 1...3), &random)
        case ..<2200: return .transaction(transaction(&random))
        case ..<3000: return .read(random.pick(ReadForm.allCases), key: key(&random))
        case ..<3300:
            return .scan(
                random.pick(Operation.ScanForm.allCases), range(&random), reversed: random.oneIn(2),
                limit: limit(&random))
        case ..<3330: return .takeReadView
        case ..<3360: return .dropReadView(random.below(8))
        case ..<3560: return .readInView(random.below(8), key: key(&random))
        case ..<3660:
            return .scanView(
                random.below(8), random.pick(Operation.ScanForm.allCases), range(&random), reversed: random.oneIn(2),
                limit: limit(&random))
        case ..<3680: return .flush
        case ..<3780: return .statistics
        case ..<3880: return .moveClock(by: UInt64(random.number(in: 1...2000)))
        case ..<3900: return .jumpClock(by: ManualClock.jump(&random))
        case ..<3993: return .misuse(random.pick(Operation.Misuse.allCases))
        case ..<3998: return .compact
        default: return .reopen(closes: random.oneIn(3), opening(&random))
        }
    }

    private typealias ReadForm = Operation.ReadForm

    package func opening(_ random: inout SeededRandom) -> Operation.OpeningChoice {
        var configuration = Store.Configuration()
        configuration.segmentBytes = random.pick([16 << 10, 64 << 10, 256 << 10, 1 << 20, 64 << 20])
        configuration.commitBufferBytes = random.pick([64 << 10, 256 << 10, 4 << 20])
        if random.oneIn(2) {
            configuration.compression = .zlib(level: random.pick([1, 1, 1, 6, 9]), threshold: random.pick([32, 512]))
        }
        configuration.durability = random.pick([.synced, .written, .buffered])
        configuration.compaction.isAutomatic = !random.oneIn(4)
        configuration.compaction.minimumLogBytes = random.pick([16 << 10, 256 << 10, 2 << 20])
        return Operation.OpeningChoice(
            configuration: configuration, isAsynchronous: random.oneIn(2), isStrict: random.oneIn(2),
            keepsReadView: random.oneIn(3))
    }

    // MARK: - Parts

    private func key(_ random: inout SeededRandom) -> Int {
        // Half of them are among a few keys, so that keys are overwritten, conditions match and read views differ.
        let count = universe.keys.count
        let few = min(count, 16)
        return random.oneIn(2) ? random.below(count) : random.below(few) * (count / few)
    }

    private func write(_ count: Int, conditions: Int, _ random: inout SeededRandom) -> Operation {
        let mutations = (0..<count).map { _ in mutation(&random, mayBeHuge: true) }
        let conditions = (0..<conditions).map { number in
            condition(number == 0 && random.oneIn(2) ? mutations[0].key : key(&random), &random)
        }
        return .write(mutations, if: conditions, durability(&random))
    }

    private func mutation(_ random: inout SeededRandom, mayBeHuge: Bool) -> Operation.Mutation {
        let key = key(&random)
        if random.oneIn(5) { return Operation.Mutation(key: key) }
        let length =
            switch random.below(100) {
            case ..<5: 0
            case ..<70: random.number(in: 1...150)
            case ..<95: random.number(in: 100...600)
            default: random.number(in: 600...3072)
            }
        let isHuge = mayBeHuge && random.oneIn(6000)
        return Operation.Mutation(
            key: key,
            value: ValuePattern(
                identity: random.next(), length: isHuge ? random.number(in: 1_048_000...1_600_000) : length),
            expiry: expiry(&random))
    }

    private func expiry(_ random: inout SeededRandom) -> Operation.ExpiryChoice {
        switch random.below(40) {
        case 0: .at(random.number(in: -5000...0))
        case 1: .at(random.number(in: 1...100_000))
        case 2, 3: .after(random.number(in: 0...20_000))
        case 4: .after(1_000_000_000)
        default: .never
        }
    }

    private func condition(_ key: Int, _ random: inout SeededRandom) -> Operation.ConditionChoice {
        switch random.below(10) {
        case ..<3: .absent(key)
        case ..<7: .matching(key)
        case ..<8: .stale(key)
        case ..<9: .unchanged(range(&random), view: random.below(8))
        default: .unchangedKey(key, view: random.below(8))
        }
    }

    private func durability(_ random: inout SeededRandom) -> Durability? {
        switch random.below(200) {
        case 0: .synced
        case 1: nil
        case ..<(storesOnDisk ? 20 : 12): .written
        default: .buffered
        }
    }

    private func limit(_ random: inout SeededRandom) -> Int {
        random.oneIn(100) ? .max : 1 << random.below(8)
    }

    private func range(_ random: inout SeededRandom) -> RangeChoice {
        switch random.below(10) {
        case 0: .all
        case 1: .from(bound(&random))
        case 2: .upTo(bound(&random))
        case ..<7: .between(bound(&random), bound(&random))
        default: .prefix(Array(bound(&random).prefix(random.number(in: 0...8))))
        }
    }

    /// A key, bytes just beside one, or bytes far from any.
    private func bound(_ random: inout SeededRandom) -> [UInt8] {
        let key = universe.keys[random.below(universe.keys.count)]
        switch random.below(6) {
        case 0: return key + [random.pick([0x00, 0xFF])]
        case 1: return Array(key.dropLast())
        case 2: return random.pick([[], [0x00], [0xFF], [0xFF, 0xFF], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]])
        default: return key
        }
    }

    /// A range of a few keys, as a rule.
    private func narrowRange(_ random: inout SeededRandom) -> RangeChoice {
        let lower = bound(&random)
        return random.oneIn(2) ? .prefix(lower) : .between(lower, lower + [0xFF, 0xFF])
    }

    private func transaction(_ random: inout SeededRandom) -> Operation.TransactionPlan {
        var steps: [Operation.TransactionPlan.Step] = []
        for _ in 0..<random.number(in: 1...8) {
            switch random.below(20) {
            case ..<6: steps.append(.get(key(&random)))
            case ..<8: steps.append(.contains(key(&random)))
            case 8: steps.append(.entries(narrowRange(&random), reversed: random.oneIn(2)))
            case 9:
                steps.append(
                    .page(
                        range(&random), reversed: random.oneIn(2), limit: 1 << random.below(5),
                        isAsynchronous: random.oneIn(2)))
            case 10: steps.append(.count(narrowRange(&random)))
            case 11:
                steps.append(.removeRange(narrowRange(&random), limit: random.oneIn(2) ? nil : 1 << random.below(3)))
            default: steps.append(.write(mutation(&random, mayBeHuge: false)))
            }
        }
        var interleaved: (Int, Operation.Mutation)?
        if random.oneIn(3) {
            var other = mutation(&random, mayBeHuge: false)
            // Often a key that the transaction reads.
            if random.oneIn(2), case .get(let key) = random.pick(steps) { other.key = key }
            interleaved = (random.number(in: 0...steps.count), other)
        }
        return Operation.TransactionPlan(steps: steps, interleaved: interleaved, durability: durability(&random))
    }
}
