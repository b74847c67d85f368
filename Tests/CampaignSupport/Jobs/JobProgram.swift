internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodJobs
internal import HeartwoodRepository
internal import HeartwoodTesting

/// A program that opens a queue on a simulated disk: tasks that enqueue, and sets of workers that claim, renew, finish
/// and fail. Used for histories, and for what a crash has left.
struct JobProgram {
    static let path = "/data/store"
    static let lease = Duration.seconds(30)
    /// Before the number of a job, in the key of the data that are written with it.
    static let dataPrefix: [UInt8] = [0x44]

    struct Work: Job {
        static let name = "work"
        static var options: JobOptions {
            JobOptions(retry: JobRetry(limit: 9, first: .seconds(4), longest: .seconds(20)))
        }
        var number: Int
    }

    let disk: SimulatedDisk
    let log: JobLog
    let clock: SteppedClock
    private var random: SeededRandom

    init(_ disk: SimulatedDisk, _ log: JobLog, _ clock: SteppedClock, _ random: SeededRandom) {
        (self.disk, self.log, self.clock, self.random) = (disk, log, clock, random)
    }

    func open() throws(StoreError) -> Store {
        var configuration = Store.Configuration()
        configuration.fileSystem = disk
        configuration.clock = clock
        configuration.segmentBytes = 16 << 10
        configuration.commitBufferBytes = 64 << 10
        configuration.maximumValueBytes = 1 << 20
        configuration.compaction = .manual
        configuration.delays = .manual(ManualDelays())
        configuration.durability = .synced
        let store = try Store(openingAt: Self.path, configuration: configuration)
        // A crash may leave commits that are later than the last fact.
        clock.set(store.now)
        return store
    }

    /// Compares what is stored with the facts.
    func judge(_ queue: JobQueue, _ store: Store, _ facts: [JobFact]) async throws {
        let verification = try await queue.verify()
        try expect(verification.isClean, "\(verification.findings)")
        var jobs: [Int: JobRecord] = [:]
        for state in [JobRecord.State.waiting, .running, .dead] {
            for job in try await queue.jobs(state, limit: 1_000).models {
                let work = try JSONCoder().decode(Work.self, from: job.payload.span.bytes)
                try expect(jobs.updateValue(job, forKey: work.number) == nil, "job \(work.number) is there twice")
            }
        }
        var data: Set<Int> = []
        for entry in try store.entries(in: .prefix(Self.dataPrefix), limit: 10_000).entries {
            data.insert(Int(String(decoding: entry.key.dropFirst(), as: UTF8.self)) ?? -1)
        }
        try JobJudge(facts).judge(jobs, data: data)
    }

    /// Enqueues and works for some time.
    mutating func live(_ queue: JobQueue, _ store: Store, first: Int, jobs count: Int, steps: Int) async throws {
        let sets = workers(queue, store, isFinal: false)
        let random = SeededRandom(self.random.next(), 1)
        let compacts = self.random.oneIn(3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for workers in sets { group.addTask { try await workers.run() } }
            for half in 0..<2 {
                group.addTask { [self] in
                    var random = SeededRandom(UInt64(half), SeededRandom.mix(random.seed))
                    for number in 0..<count where number % 2 == half {
                        try await enqueue(first + number, queue, store, &random)
                    }
                }
            }
            if compacts { group.addTask { _ = try await store.compact() } }
            for _ in 0..<steps {
                for _ in 0..<self.random.below(20) { await Task.yield() }
                clock.advance(by: .milliseconds(self.random.pick([1, 300, 5_000, 31_000])))
            }
            for workers in sets { workers.stop() }
            clock.advance(by: .seconds(5))
            try await Self.finish(&group, clock)
        }
    }

    /// Lets workers run until every job is finished or a dead letter.
    mutating func drain(_ queue: JobQueue, _ store: Store) async throws {
        let workers = workers(queue, store, isFinal: true)[0]
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await workers.run() }
            var rounds = 0
            // Much longer than it takes: a worker that hangs is a violation, too.
            let limit = ContinuousClock.now + .seconds(300)
            while true {
                let counts = try await queue.counts()
                if counts.due + counts.running + counts.scheduled == 0 { break }
                rounds += 1
                try expect(ContinuousClock.now < limit, "jobs are left that no worker gets: \(counts)")
                for _ in 0..<10 { await Task.yield() }
                if rounds % 5 == 0 { clock.advance(by: .seconds(2)) }
            }
            workers.stop()
            try await Self.finish(&group, clock)
        }
    }

    /// Waits for the tasks, while time goes on.
    private static func finish(_ group: inout ThrowingTaskGroup<Void, any Error>, _ clock: SteppedClock) async throws {
        let isOver = Locked(false)
        let ticking = Task {
            while !isOver.withLock({ $0 }) {
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        defer { isOver.withLock { $0 = true } }
        try await group.waitForAll()
        ticking.cancel()
    }

    private func enqueue(_ number: Int, _ queue: JobQueue, _ store: Store, _ random: inout SeededRandom) async throws {
        let options = JobOptions(
            priority: random.pick([.high, .normal]),
            start: random.oneIn(4) ? .after(.seconds(random.below(20))) : nil,
            uniqueKey: random.oneIn(5) ? "only \(number)" : nil)
        if random.oneIn(2) {
            log.add(.enqueuing(withData: true), number)
            try await store.withTransaction { transaction in
                try transaction.put(Self.dataPrefix + Array("\(number)".utf8), [1])
                try await queue.enqueue(Work(number: number), options, in: transaction)
            }
        } else {
            log.add(.enqueuing(withData: false), number)
            try await queue.enqueue(Work(number: number), options)
        }
        log.add(.enqueued, number)
    }

    /// Two sets as two programs would have them, with leases that they lose now and then.
    private mutating func workers(_ queue: JobQueue, _ store: Store, isFinal: Bool) -> [JobWorkers] {
        (0..<(isFinal ? 1 : 2)).map { _ in
            var configuration = JobWorkers.Configuration(
                count: random.number(in: 1...3), batch: random.number(in: 1...3), lease: Self.lease)
            configuration.clock = clock
            configuration.grace = .seconds(3)
            configuration.recorder = { [log] in Self.note($0, log) }
            let seed = random.next()
            let handler = JobHandler.handling(Work.self) { [clock, log] work, context in
                var random = SeededRandom(seed, UInt64(work.number), UInt64(context.attempt))
                try await Self.perform(work, context, isFinal ? 0 : random.below(9), clock, store, log)
            }
            return JobWorkers(queue, configuration, handlers: [handler])
        }
    }

    private static func perform(
        _ work: Work, _ context: JobContext, _ action: Int, _ clock: SteppedClock, _ store: Store, _ log: JobLog
    ) async throws {
        switch action {
        case 0, 1: return
        case 2: throw Violation("a failure that the campaign wants")
        case 3: throw JobDecision.snooze(.seconds(3))
        case 4: throw JobDecision.retry(after: .zero, "soon")
        case 5:
            // The worker stands still beyond its lease, as a paused program does.
            clock.advance(by: lease)
            await Task.yield()
        case 6: clock.advance(by: .seconds(12))
        case 7:
            log.add(.reporting(attempt: context.attempt, isFinish: true), work.number)
            do {
                try await store.withTransaction { try await context.finish(in: $0) }
                log.add(.reported(attempt: context.attempt, isFinish: true), work.number)
            } catch let error as StoreError where error.code == .leaseLost {}
        default: for _ in 0..<20 { await Task.yield() }
        }
    }

    private static func note(_ note: JobNote, _ log: JobLog) {
        func number(_ job: JobRecord) -> Int {
            (try? JSONCoder().decode(Work.self, from: job.payload.span.bytes))?.number ?? -1
        }
        switch note {
        case .claimed(let job, let fence, let until):
            log.add(.claimed(attempt: job.attempt, fence: fence, until: until.milliseconds), number(job))
        case .renewed(let job, let until):
            log.add(.renewed(attempt: job.attempt, until: until.milliseconds), number(job))
        case .reporting(let job, let isFinish):
            log.add(.reporting(attempt: job.attempt, isFinish: isFinish), number(job))
        case .reported(let job, let isFinish, let wasLost):
            if !wasLost { log.add(.reported(attempt: job.attempt, isFinish: isFinish), number(job)) }
        }
    }
}

extension SeededRandom {
    /// A number that the next ones follow from.
    fileprivate var seed: UInt64 {
        var copy = self
        return copy.next()
    }
}
