internal import Heartwood
internal import HeartwoodConcurrency
import HeartwoodTesting
import Synchronization

/// A clock that never goes back, so that an expired value stays expired.
struct SoakClock: StoreClock {
    private let start = ContinuousClock.now
    private let startTime = SystemClock().now()

    func now() -> Timestamp { startTime + (ContinuousClock.now - start) }
}

/// What a soak counts and measures.
struct SoakMeter: Sendable {
    var totals = Tally()
    var samples: [SoakSample] = []
    var marks: [SoakRun.Mark] = []
    /// The durations of the puts of each durability since the last sample, in nanoseconds.
    var latencies: [Durability: [UInt64]] = [:]
}

/// One opening of the store, shared by its tasks.
final class SoakLife: Sendable {
    let store: Store
    let plan: WriterPlan
    let clock: SoakClock
    let meter: Locked<SoakMeter>
    let acknowledgements = Locked<[Acknowledgement]>([])
    /// Read views to be checked later.
    let readViews = Locked<[SoakReadView]>([])
    private let over = Atomic<Bool>(false)

    init(_ store: Store, _ plan: WriterPlan, _ clock: SoakClock, _ meter: Locked<SoakMeter>) {
        (self.store, self.plan, self.clock, self.meter) = (store, plan, clock, meter)
    }

    /// Whether the tasks must end.
    var isOver: Bool { over.load(ordering: .relaxed) || Task.isCancelled }

    func end() { over.store(true, ordering: .relaxed) }

    var now: UInt64 { clock.now().milliseconds }

    func count(_ what: String, _ number: Int = 1) { meter.withLock { $0.totals[what] += number } }

    /// Sleeps; shorter if the opening ends.
    func rest(milliseconds: Int) async {
        var left = milliseconds
        while left > 0, !isOver {
            try? await Task.sleep(for: .milliseconds(min(left, 200)))
            left -= 200
        }
    }

    // MARK: - Compactions on request

    func compactOnRequest() async throws {
        var random = SeededRandom(plan.seed, UInt64(plan.round), 71)
        while !isOver {
            await rest(milliseconds: random.number(in: 500...12_000))
            if isOver { return }
            let isCancelled = random.oneIn(4)
            let store = store
            let work = Task { try await store.compact() }
            if isCancelled {
                await rest(milliseconds: random.below(150))
                work.cancel()
            }
            do {
                _ = try await work.value
                count("requested")
            } catch let error as StoreError where error.code == .cancelled && isCancelled {
                count("cancelled")
            }
        }
    }

    // MARK: - Measuring

    /// Measures once a second until the opening ends.
    ///
    /// - Parameter start: When the soak began.
    func sample(
        since start: ContinuousClock.Instant, _ path: String, _ report: @Sendable (Int, SoakSample?) -> Void
    ) async {
        var completed: UInt64 = 0
        var next = ContinuousClock.now + .seconds(1)
        meter.withLock { $0.latencies = [:] }
        while !isOver {
            await rest(milliseconds: 50)
            let (all, time) = (store.statistics.compaction.completed, (ContinuousClock.now - start) / .seconds(1))
            meter.withLock { meter in
                for _ in completed..<max(completed, all) { meter.marks.append(.init(time: time, kind: .compaction)) }
            }
            completed = max(completed, all)
            guard ContinuousClock.now >= next else { continue }
            next += .seconds(1)
            let (memory, disk) = (ProcessFigures.residentBytes, ProcessFigures.diskBytes(of: path))
            let (operations, sample) = meter.withLock { meter in
                let latencies = [Durability.synced, .written, .buffered].map {
                    meter.latencies.removeValue(forKey: $0).flatMap { SoakSample.Latency($0) }
                }
                meter.samples.append(SoakSample(time: time, memory: memory, disk: disk, latencies: latencies))
                return (meter.totals.writes + meter.totals.reads, meter.samples.last)
            }
            report(operations, sample)
        }
    }
}

/// A read view, and what it must show of one writer's keys.
struct SoakReadView: Sendable {
    let view: ReadView
    let writer: Int
    let contents: ExpectedContents
    /// The time at which it was taken, as exactly as is known.
    let times: ClosedRange<UInt64>
    let due: ContinuousClock.Instant
}
