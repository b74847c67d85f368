internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodJobs
package import HeartwoodTesting

/// Queues of jobs. What a crash leaves is opened, judged, and worked on to the end.
package struct JobSubject: CrashSubject {
    /// The facts of a history, as they are kept with a disk.
    package struct Evidence: Sendable, Codable { var facts: [JobFact] }

    package init() {}

    package let share: (states: Int, stream: UInt64)? = (60, 35)

    package func fingerprint(of evidence: Evidence) -> [UInt64] { [UInt64(evidence.facts.count)] }

    package func history(seed: UInt64) -> CrashHistory<Evidence> {
        let disk = SimulatedDisk(seed: SeededRandom.mix(seed ^ 0x10B5))
        return CrashHistory(disk: disk) {
            let log = try await run(disk, seed)
            var aftermath = Self.aftermath(disk.trace, log)
            for fact in log.facts {
                switch fact.kind {
                case .enqueued: aftermath.counts.jobs += 1
                case .claimed: aftermath.counts.claims += 1
                case .renewed: aftermath.counts.renewals += 1
                default: break
                }
            }
            return aftermath
        }
    }

    private static func aftermath(_ trace: DiskTrace, _ log: JobLog) -> Aftermath<Evidence> {
        Aftermath(trace: trace) { events, _ in Evidence(facts: log.facts(after: events, trace)) }
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

    package func crashes(of trace: DiskTrace, from image: UInt64, seed: UInt64, depth: Int) -> [Crash] {
        var random = SeededRandom(image, 34, UInt64(depth))
        return drawnCrash(of: trace, &random, depth: depth, deepest: 4)
    }

    /// Opens what a crash has left, judges it, and lets workers finish everything.
    package func check(_ image: DiskImage, _ evidence: Evidence, depth: Int) async throws -> Aftermath<Evidence> {
        let (seed, facts) = (image.fingerprint(), evidence.facts)
        let disk = SimulatedDisk(image: image, seed: seed)
        let clock = SteppedClock(milliseconds: facts.last?.time ?? 1_700_000_000_000)
        let log = JobLog(disk, clock, base: facts)
        var program = JobProgram(disk, log, clock, SeededRandom(seed, 33))
        let store = try await promised("the store doesn't open") { try program.open() }
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
        return Self.aftermath(disk.trace, log)
    }
}
