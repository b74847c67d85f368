internal import HeartwoodTesting

/// The steps of a workload, drawn from a seed.
struct WorkPlan {
    let workload: Workload
    let steps: [WorkStep]
    let segmentBytes: Int
    let usesCompression: Bool

    /// The wall clock's first time.
    static let start: UInt64 = 1_700_000_000_000

    /// - Parameter length: About how many writes.
    init(_ workload: Workload, seed: UInt64, length: Int) {
        var drawing = Drawing(workload: workload, random: SeededRandom(seed, 10), jumps: SeededRandom(seed, 15))
        self.workload = workload
        // A segment of a megabyte is preallocated in steps, like those of a real store.
        let sizes = workload == .large ? [16, 48, 1_024] : [16, 32, 48]
        segmentBytes = workload == .rotation ? 16 << 10 : drawing.random.pick(sizes) << 10
        usesCompression = drawing.random.oneIn(4)
        drawing.draw(length: workload == .large ? max(3, length / 4) : length)
        steps = drawing.steps
    }

    private struct Drawing {
        let workload: Workload
        var random: SeededRandom
        /// Draws how the clock is set. Of its own, so that the rest doesn't depend on it.
        var jumps: SeededRandom
        var steps: [WorkStep] = []
        let clock = ManualClock(milliseconds: WorkPlan.start)
        lazy var time = StoreTimeModel(clock, now: WorkPlan.start)
        var identity: UInt64 = 0

        private var now: UInt64 { mutating get { time.now } }

        private mutating func moveClock() {
            let delta = UInt64(random.number(in: 1...2_000))
            clock.advance(by: delta)
            time.read(clock)
            steps.append(.moveClock(delta))
            guard jumps.oneIn(3) else { return }
            let jump = ManualClock.jump(&jumps)
            clock.jump(by: jump)
            time.read(clock)
            steps.append(.jumpClock(jump))
        }

        mutating func draw(length: Int) {
            for _ in 0..<length {
                step()
                if random.oneIn(12) { steps.append(.read(key())) }
                if random.oneIn(30) { steps.append(.wait(60_000_000)) }
            }
        }

        private mutating func step() {
            switch workload {
            case .puts, .tasks, .compacting: steps.append(.write([change()], .synced, .none))
            case .batches: batch()
            case .conditions: conditional()
            case .transactions: transaction()
            case .expiry: expiring()
            case .rotation:
                steps.append(.write([change(length: random.number(in: 500...6_000))], anyDurability(), .none))
            case .durabilities: mixed()
            case .large: large()
            case .reopening: reopening()
            case .compaction: compaction()
            }
        }

        private mutating func compaction() {
            switch random.below(16) {
            case 0, 1:
                var steps: [WorkStep] = []
                for _ in 0..<random.below(5) { steps.append(compactionWrite()) }
                if random.oneIn(3) { steps.append(.read(key())) }
                if random.oneIn(5) { steps.append(.takeReadView) }
                if random.oneIn(5) { steps.append(.wait(60_000_000)) }
                self.steps.append(.compact(pauseAt: random.below(24), steps))
            case 2: steps.append(.takeReadView)
            case 3: steps.append(.releaseReadView)
            case 4: if random.oneIn(2) { steps.append(.reopen(closes: random.oneIn(2))) }
            case 5: moveClock()
            default: steps.append(compactionWrite())
            }
        }

        private mutating func compactionWrite() -> WorkStep {
            var changes = (0..<random.pick([1, 1, 1, 4])).map { _ in change(allowsRemoval: true) }
            if random.oneIn(4) { changes.append(WorkChange(key: key(), value: nil)) }
            changes = unique(changes)
            for index in changes.indices where changes[index].value != nil && random.oneIn(4) {
                changes[index].expires = now + UInt64(random.number(in: 1...3_000))
            }
            return .write(changes, anyDurability(), .none)
        }

        private mutating func batch() {
            let changes = (0..<random.number(in: 1...12)).map { _ in change() }
            steps.append(.write(unique(changes), random.oneIn(4) ? .buffered : .synced, .none))
        }

        private mutating func conditional() {
            let kind = random.pick([WorkStep.Guard.absent, .current, .current, .stale, .none])
            steps.append(.write([change(allowsRemoval: kind != .absent)], anyDurability(), kind))
        }

        private mutating func transaction() {
            let reads = (0..<random.number(in: 1...3)).map { _ in key() }
            let changes = (0..<random.number(in: 0...4)).map { _ in change() }
            steps.append(.transaction(reads: reads, unique(changes), anyDurability()))
        }

        private mutating func expiring() {
            var change = change(allowsRemoval: random.oneIn(6))
            if change.value != nil, !random.oneIn(3) { change.expires = now + UInt64(random.number(in: 1...5_000)) }
            steps.append(.write([change], anyDurability(), .none))
            if random.oneIn(3) { moveClock() }
        }

        private mutating func mixed() {
            switch random.below(12) {
            case 0: steps.append(.flush)
            case 1: steps.append(.wait(6_000_000))
            case 2: steps.append(.wait(60_000_000))
            case 3: steps.append(.wait(1_000_000_000))
            default:
                let changes = (0..<random.number(in: 1...3)).map { _ in change() }
                steps.append(
                    .write(unique(changes), random.pick([.buffered, .buffered, .written, .synced]), .none))
            }
        }

        private mutating func large() {
            if random.oneIn(2) {
                steps.append(.write([change(length: random.number(in: 0...300))], anyDurability(), .none))
            }
            let length = random.pick([5_000, 15_900, 17_000, 40_000, 66_000, 90_000, 150_000, 260_000])
            var changes = [change(length: length + random.below(700))]
            if random.oneIn(3) { changes.append(change()) }
            steps.append(.write(unique(changes), anyDurability(), .none))
        }

        private mutating func reopening() {
            switch random.below(8) {
            case 0: steps.append(.reopen(closes: true))
            case 1: steps.append(.reopen(closes: false))
            case 2: steps.append(.cancelledWrite([change()], anyDurability()))
            default: steps.append(.write([change()], anyDurability(), .none))
            }
        }

        private mutating func anyDurability() -> WorkOperation.Durability {
            random.pick([.synced, .synced, .synced, .written, .buffered])
        }

        private mutating func key() -> String {
            let number = random.below(24)
            return number % 6 == 5 ? String(repeating: "long/", count: 10 + number * 2) + "\(number)" : "key/\(number)"
        }

        private mutating func change(allowsRemoval: Bool = true, length: Int? = nil) -> WorkChange {
            identity += 1
            if allowsRemoval, length == nil, random.oneIn(7) { return WorkChange(key: key(), value: nil) }
            let length = length ?? random.pick([0, 7, 60, 200, 450, 1_100, random.below(2_000)])
            return WorkChange(key: key(), value: .pattern(identity: identity, length: length))
        }

        /// Only the last change of a batch to a key counts.
        private func unique(_ changes: [WorkChange]) -> [WorkChange] {
            var seen: Set<String> = []
            return changes.reversed().filter { seen.insert($0.key).inserted }.reversed()
        }
    }
}
