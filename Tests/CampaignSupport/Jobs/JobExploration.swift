internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodJobs
package import HeartwoodTesting

/// Histories of queues, crashed after any call of the disk, opened, judged, worked on to the end, and crashed again.
package final class JobExploration: HistoryExplorer {
    package struct Totals: HistoryTotals {
        package var runs = 0
        /// Calls of the disk in them.
        package var calls = 0
        package var jobs = 0
        /// How many times a worker was given a job.
        package var claims = 0
        package var renewals = 0
        package var crashes = 0
        package var crashesAgain = 0

        package init() {}

        package static func += (sum: inout Totals, other: Totals) {
            sum.runs += other.runs
            sum.calls += other.calls
            sum.jobs += other.jobs
            sum.claims += other.claims
            sum.renewals += other.renewals
            sum.crashes += other.crashes
            sum.crashesAgain += other.crashesAgain
        }
    }

    /// The facts of a history, as they are kept with a disk.
    package struct JobFacts: Sendable, Codable { var all: [JobFact] }

    package private(set) var result = HistoryResult<Totals>()
    private var path: [CrashState] = []
    private var judging: (crash: Crash, facts: [JobFact])?

    package init() {}

    package func explore(seed: UInt64, states: Int, progress: (Int) -> Bool) async throws {
        let disk = SimulatedDisk(seed: SeededRandom.mix(seed ^ 0x10B5))
        (path, judging) = ([], nil)
        do {
            let log = try await run(disk, seed)
            let trace = disk.trace
            result.totals.runs += 1
            result.totals.calls += trace.callCount
            note(log.facts)
            var random = SeededRandom(seed, 35)
            let share = max(1, trace.callCount / 60)
            for crash in trace.crashStates(limit: states, seed: seed) where random.oneIn(share) {
                let before = result.images.count
                path = []
                try await judge(crash, log.facts(after: crash.state.events, trace))
                if !progress(result.images.count - before) { return }
            }
        } catch {
            throw HistoryFailure(
                seed: seed, path: path, cause: error,
                left: judging.map { ($0.crash.image, JobFacts(all: $0.facts)) },
                lastCalls: judging?.crash.lastCalls(8) ?? Array(disk.trace.calls.suffix(8)))
        }
    }

    package func judge(_ image: DiskImage, _ facts: JobFacts) async throws { _ = try await check(image, facts.all) }

    private func note(_ facts: [JobFact]) {
        for fact in facts {
            switch fact.kind {
            case .enqueued: result.totals.jobs += 1
            case .claimed: result.totals.claims += 1
            case .renewed: result.totals.renewals += 1
            default: break
            }
        }
    }

    private func run(_ disk: SimulatedDisk, _ seed: UInt64) async throws -> JobLog {
        var random = SeededRandom(seed, 30)
        let clock = SteppedClock()
        let log = JobLog(disk, clock)
        var first = 0
        for _ in 0..<random.number(in: 1...2) {
            var program = JobProgram(disk, log, clock, SeededRandom(seed, random.next()))
            let store = try program.open()
            let queue = try await JobQueue.open(in: store)
            try await program.judge(queue, store, log.facts)
            let count = random.number(in: 3...10)
            try await program.live(queue, store, first: first, jobs: count, steps: random.number(in: 5...25))
            first += count
            try await program.judge(queue, store, log.facts)
            try await store.close()
        }
        return log
    }

    private func judge(_ crash: Crash, _ facts: [JobFact]) async throws {
        path.append(crash.state)
        judging = (crash, facts)
        let image = crash.image.fingerprint()
        result.images.insert(image)
        result.totals.crashes += 1
        if path.count > 1 { result.totals.crashesAgain += 1 }
        let (trace, log) = try await check(crash.image, facts)
        var random = SeededRandom(image, 34, UInt64(path.count))
        if path.count < 4, random.oneIn(3) {
            let events = random.number(in: 0...trace.events.count)
            let again = trace.crash(CrashState(events: events, losses: .drawn(random.next() >> 24)))
            try await judge(again, log.facts(after: events, trace))
        }
        path.removeLast()
    }

    /// Opens what a crash has left, judges it, and lets workers finish everything.
    private func check(_ image: DiskImage, _ facts: [JobFact]) async throws -> (DiskTrace, JobLog) {
        let seed = image.fingerprint()
        let disk = SimulatedDisk(image: image, seed: seed)
        let clock = SteppedClock(milliseconds: facts.last?.time ?? 1_700_000_000_000)
        let log = JobLog(disk, clock, base: facts)
        var program = JobProgram(disk, log, clock, SeededRandom(seed, 33))
        let store: Store
        do throws(StoreError) {
            store = try program.open()
        } catch {
            throw Violation("the store doesn't open: \(error)")
        }
        let queue = try await JobQueue.open(in: store)
        try await program.judge(queue, store, facts)
        try await program.drain(queue, store)
        try await program.judge(queue, store, log.facts, isDrained: true)
        let dead = try await queue.jobs(.dead, limit: 1_000).models
        for (number, story) in try JobJudge(log.facts).stories where story.isEnqueued && story.attempt == 0 {
            // The crash may have come after a claim, before the worker knew of it: an attempt, and maybe the last.
            let wasClaimed = dead.contains { JobProgram.number($0) == number && $0.attempt > 0 }
            try expect(wasClaimed, "job \(number) has never run")
        }
        store.settle()
        return (disk.trace, log)
    }
}
