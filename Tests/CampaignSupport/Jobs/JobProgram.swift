internal import Heartwood
internal import HeartwoodConcurrency
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
        var configuration = Store.Configuration.quiet(disk, clock)
        configuration.durability = .synced
        return try Store(openingAt: Self.path, configuration: configuration)
    }

    /// Compares what is stored with the facts.
    ///
    /// - Parameter isDrained: Whether workers have run until nothing was left.
    func judge(_ queue: JobQueue, _ store: Store, _ facts: [JobFact], isDrained: Bool = false) async throws {
        let judge = try JobJudge(facts)
        let verification = try await queue.verify()
        let isSpoiled = !isDrained && judge.stories.values.contains { $0.isSpoiling }
        let findings = verification.findings.filter {
            !isSpoiled || $0.kind != .unreadableRecord && $0.kind != .undecodableRecord
        }
        try expect(findings.isEmpty, "\(findings)")
        var jobs: [Int: JobRecord] = [:]
        var spoiled = 0
        for state in [JobRecord.State.waiting, .running, .dead] {
            for job in try await queue.jobs(state, limit: 1_000).models {
                if job.kind.isEmpty {
                    spoiled += 1
                    try expect(job.failure?.isEmpty == false, "\(job.id) can't be read, without a reason")
                    continue
                }
                let work = try JSONCoder().decode(Work.self, from: job.payload.span.bytes)
                try expect(jobs.updateValue(job, forKey: work.number) == nil, "job \(work.number) is there twice")
            }
        }
        var data: Set<Int> = []
        for entry in try store.scan(.prefix(Self.dataPrefix), limit: 10_000).entries() {
            data.insert(Int(String(decoding: entry.key.dropFirst(), as: UTF8.self)) ?? -1)
        }
        try judge.judge(jobs, data: data, spoiled: spoiled, isDrained: isDrained)
    }

    /// Enqueues and works for some time.
    mutating func live(_ queue: JobQueue, _ store: Store, first: Int, jobs count: Int, steps: Int) async throws {
        let sets = workers(queue, store, isFinal: false)
        let random = SeededRandom(self.random.next(), 1)
        var jumps = SeededRandom(random.seed, 2)
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
                if jumps.oneIn(8) { clock.jump(by: .milliseconds(ManualClock.jump(&jumps))) }
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
                // A pause may be a century.
                let times = counts.due + counts.running > 0 ? [] : try await queue.jobs(.waiting, limit: 1_000).models
                if let next = times.map(\.time.milliseconds).min(), next > queue.store.now.milliseconds {
                    clock.advance(by: .milliseconds(Int64(clamping: next - queue.store.now.milliseconds)))
                }
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
        let options = Self.options(number, &random)
        if random.oneIn(6) {
            // Another program writes over it.
            let spoiled = number + 10_000
            log.add(.spoiling, spoiled)
            try await store.transaction { transaction in
                let id = try await queue.enqueue(Work(number: spoiled), .unique("\(spoiled)"), in: transaction)
                let key = try queue.recordKey(id)
                guard let record = try await transaction.fetchEntry(key)?.value else { return }
                try transaction.put(key, try Self.spoil(record, number))
            }
            log.add(.spoiled, spoiled)
        }
        if random.oneIn(2) {
            log.add(.enqueuing(withData: true), number)
            try await store.transaction { transaction in
                try transaction.put(Self.dataPrefix + Array("\(number)".utf8), [1])
                try await queue.enqueue(Work(number: number), options, in: transaction)
            }
        } else {
            log.add(.enqueuing(withData: false), number)
            try await queue.enqueue(Work(number: number), options)
        }
        log.add(.enqueued, number)
    }

    /// Often with a value at the ends of its range.
    private static func options(_ number: Int, _ random: inout SeededRandom) -> JobOptions {
        let pauses: [Duration] = [
            .zero, .nanoseconds(1), .seconds(-1), .seconds(4), .seconds(Int64.max) * 10, .seconds(Int64.min) * 10,
        ]
        var options = JobOptions(priority: random.pick([.high, .normal]))
        if random.oneIn(4) { options.start = .after(.seconds(random.below(20))) }
        if random.oneIn(5) { options.uniqueKey = "only \(number)" }
        guard random.oneIn(3) else { return options }
        switch random.below(4) {
        case 0: options.priority = JobPriority(rawValue: random.pick([0, 255]))
        case 1: options.start = random.pick([.at(Timestamp(milliseconds: 0)), .after(.seconds(Int64.min) * 10)])
        case 2: options.uniqueKey = String(repeating: random.pick(["\0", "\u{1D160}"]), count: 250) + "\(number)"
        default:
            options.retry = JobRetry(
                limit: random.pick([.min, 0, 1, Int(Int32.max), .max]), first: random.pick(pauses),
                longest: random.pick(pauses))
        }
        return options
    }

    /// A record that can't be read.
    private static func spoil(_ record: [UInt8], _ number: Int) throws -> [UInt8] {
        switch number % 3 {
        case 0: return []
        case 1: return [0xDE, 0xAD, 0xBE, 0xEF]
        default:
            var record = record
            record[try RecordEnvelope.decode(record).payload + 17] = 0xFF
            return record
        }
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
        case 3: throw JobDecision.snooze(context.attempt % 2 == 0 ? .seconds(3) : .seconds(Int64.min) * 10)
        case 4:
            let pause = work.number % 4 == 3 ? Duration.seconds(3_155_760_000) : .zero
            throw JobDecision.retry(after: pause, String(repeating: "later\0", count: 300))
        case 5:
            // The worker stands still beyond its lease, as a paused program does.
            clock.advance(by: lease)
            await Task.yield()
        case 6: clock.advance(by: .seconds(12))
        case 7:
            log.add(.reporting(attempt: context.attempt, isFinish: true), work.number)
            do {
                try await store.transaction { try await context.finish(in: $0) }
                log.add(.reported(attempt: context.attempt, isFinish: true), work.number)
            } catch let error as StoreError where error.code == .leaseLost {}
        default: for _ in 0..<20 { await Task.yield() }
        }
    }

    /// -1 for a job that can't be read.
    static func number(_ job: JobRecord) -> Int {
        (try? JSONCoder().decode(Work.self, from: job.payload.span.bytes))?.number ?? -1
    }

    private static func note(_ note: JobNote, _ log: JobLog) {
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
