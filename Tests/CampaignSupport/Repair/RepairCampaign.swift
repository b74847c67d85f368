internal import HeartwoodConcurrency
internal import HeartwoodTesting

/// Random histories, each damaged many times, and the repairs of them.
///
/// The seed and the number of a case determine everything else.
package struct RepairCampaign: Sendable {
    /// The number of cases of one history.
    package static let casesOfHistory = 50
    /// The number of failures after which the campaign ends.
    package static let mostFailures = 20

    /// A case that broke a rule.
    package struct Failure: Sendable {
        package var number: Int
        package var damage: [String]
        package var kinds: [DamageKind]
        package var broken: BrokenRule
    }

    package let seed: UInt64
    private let forgery: DamagedStore.Forgery

    /// - Parameter forgery: Changes a file and makes its checksums valid.
    package init(seed: UInt64, forgery: @escaping DamagedStore.Forgery) {
        self.seed = seed
        self.forgery = forgery
    }

    /// Runs the cases from the first on.
    ///
    /// - Parameters:
    ///   - interruptions: About how many repairs in place are interrupted.
    ///   - begins: Called before each case, with the number of its worker.
    package func run(
        cases: Int, interruptions: Int, jobs: Int = 2, begins: @escaping @Sendable (_ worker: Int, _ case: Int) -> Void,
        report: @escaping @Sendable (Tally) -> Void
    ) async -> (Tally, [Failure]) {
        let shared = Locked((totals: Tally(), failures: [Failure](), idle: Array(0..<max(1, jobs))))
        let interval = Self.interval(cases: cases, interruptions: interruptions)
        let histories = (cases + Self.casesOfHistory - 1) / Self.casesOfHistory
        _ = try? await inLanes(Array(0..<histories), jobs: jobs) { history in
            guard shared.withLock({ $0.failures.count < Self.mostFailures }) else { return }
            let worker = shared.withLock { $0.idle.removeLast() }
            defer { shared.withLock { $0.idle.append(worker) } }
            let first = history * Self.casesOfHistory
            let numbers = first..<min(cases, first + Self.casesOfHistory)
            await run(numbers, interval, begins: { begins(worker, $0) }) { totals, failures in
                shared.withLock { shared in
                    shared.totals += totals
                    shared.failures += failures
                }
                report(shared.withLock { $0.totals })
            }
        }
        return shared.withLock { ($0.totals, $0.failures.sorted { $0.number < $1.number }) }
    }

    /// Runs one case, with all of its interruptions or none.
    package func run(case number: Int, interrupted: Bool = true) async -> (Tally, [Failure]) {
        var result = (Tally(), [Failure]())
        await run(number..<(number + 1), interrupted ? 1 : .max) { _ in
        } done: {
            result.0 += $0
            result.1 += $1
        }
        return result
    }

    /// The files and the damage of a case, and the reports of verification and repair.
    package func describe(case number: Int) async throws -> [String] {
        let history = try await self.history(number / Self.casesOfHistory)
        let damaged = damage(history, number)
        var lines = history.files.sorted { $0.key < $1.key }.map { name, file in
            let numbers = file.isSnapshot ? "up to \(file.coveredThrough)" : "\(file.batches.keys.sorted())"
            return "\(name): \(file.bytes.count) bytes, \(numbers)\(file.isCovered ? ", covered" : "")"
        }
        lines += damaged.log + RepairCase(damaged).described
        return lines
    }

    /// Cases of one history.
    private func run(
        _ numbers: Range<Int>, _ interval: Int, begins: (Int) -> Void, done: (Tally, [Failure]) -> Void
    ) async {
        var first = Tally()
        first.histories = 1
        let history: RepairHistory
        do {
            begins(numbers.lowerBound)
            history = try await self.history(numbers.lowerBound / Self.casesOfHistory)
        } catch {
            let broken = BrokenRule(.history, "\(error)")
            return done(first, [Failure(number: numbers.lowerBound, damage: [], kinds: [], broken: broken)])
        }
        done(first, [])
        for number in numbers {
            begins(number)
            var totals = Tally()
            var failures: [Failure] = []
            let damaged = damage(history, number)
            do {
                try run(damaged, number, interval, &totals)
            } catch {
                let broken = error as? BrokenRule ?? BrokenRule(.error, "\(error)")
                failures = [Failure(number: number, damage: damaged.log, kinds: damaged.kinds, broken: broken)]
            }
            done(totals, failures)
        }
    }

    private func run(_ damaged: DamagedStore, _ number: Int, _ interval: Int, _ totals: inout Tally) throws {
        totals.cases = 1
        let repairCase = RepairCase(damaged)
        let outcome = try repairCase.run()
        if outcome.isRefused { totals.refused = 1 }
        if outcome.isWhole { totals.whole = 1 }
        if outcome.isUnproven { totals.unproven = 1 }
        if outcome.isForged { totals.forged = 1 }
        guard number % interval == interval / 2 else { return }
        totals.interruptions = try InterruptedRepair(repairCase, seed: SeededRandom.mix(seed &+ UInt64(number))).run()
        totals.interrupted = totals.interruptions > 0 ? 1 : 0
    }

    /// One case of this many has its repair in place interrupted, at all of its calls: one of fifty, or fewer if that
    /// would be more than requested.
    private static func interval(cases: Int, interruptions: Int) -> Int {
        // The usual number of calls with which a repair in place changes something.
        let usual = 60
        return interruptions > 0 ? max(50, cases / max(1, interruptions / usual)) : .max
    }

    /// One history, for fifty cases.
    package func history(_ index: Int) async throws -> RepairHistory {
        let own = SeededRandom.mix(seed ^ SeededRandom.mix(UInt64(index)))
        var history = try await HistoryWriter.write(seed: own)
        let other = try await HistoryWriter.write(seed: SeededRandom.mix(~seed))
        history.foreign = other.image.files.filter { other.files[$0.key] != nil }.sorted { $0.key < $1.key }.map(
            \.value)
        return history
    }

    /// The files of a case. The first of a history has no damage at all.
    package func damage(_ history: RepairHistory, _ number: Int) -> DamagedStore {
        var damaged = DamagedStore(history)
        guard number % Self.casesOfHistory > 0 else { return damaged }
        var random = SeededRandom(seed, 82, UInt64(number))
        // Forged damage is judged by other rules, and is not combined with other damage.
        if random.oneIn(8) {
            damaged.damage(.forged, &random, forgery)
            return damaged
        }
        let kinds = DamageKind.allCases.filter { $0 != .forged }
        for _ in 0..<random.pick([1, 1, 2, 3]) { damaged.damage(random.pick(kinds), &random, forgery) }
        return damaged
    }
}
