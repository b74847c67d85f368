import Testing

@testable import HeartwoodJobs
@testable import HeartwoodRepository

@Suite("Leases", .timeLimit(.minutes(10)))
struct LeaseTests {
    static let lease = Duration.seconds(30)

    private func claim(_ queue: JobQueue, _ demand: Int = 1) async throws -> [LeasedJob] {
        try await queue.exchange(Exchange(demand: demand, lease: Self.lease)).claimed
    }

    private func report(_ queue: JobQueue, _ job: LeasedJob, _ event: HeldEvent) async throws -> Bool {
        let report = Exchange.Report(job: job, event: event)
        return try await queue.exchange(Exchange(reports: [report], lease: Self.lease)).wasLost == [false]
    }

    @Test("a lease that has ended is given to another worker, with a greater number", arguments: JobEngine.allCases)
    func handedOver(_ engine: JobEngine) async throws {
        let test = JobStore(engine)
        let queue = try await retryingFailures { try await JobQueue.open(in: test.open()) }
        let id = try await retryingFailures { try await queue.enqueue(Mark(number: 1), .unique("one")) }
        let first = try #require(try await retryingFailures { try await claim(queue) }.first)
        #expect(first.record.id == id && first.record.attempt == 1)
        #expect(try await retryingFailures { try await claim(queue) }.isEmpty)
        test.clock.advance(by: Self.lease)
        let second = try #require(try await retryingFailures { try await claim(queue) }.first)
        #expect(second.record.attempt == 2 && second.fence > first.fence)
        // The first worker continues after its pause: nothing that it says counts.
        for event in [
            HeldEvent.renew(lease: Self.lease), .finish, .fail("late", jitter: 0), .release, .discard("late"),
        ] {
            #expect(try await retryingFailures { try await report(queue, first, event) } == false)
        }
        #expect(try await retryingFailures { try await report(queue, second, .renew(lease: Self.lease)) })
        #expect(try await retryingFailures { try await queue.job(id) }?.failures == 1)
        #expect(try await retryingFailures { try await report(queue, second, .finish) } || engine == .hostile)
        #expect(try await retryingFailures { try await queue.job(id) } == nil)
    }

    @Test("a transaction is refused where the lease was lost", arguments: JobEngine.reliable)
    func fencing(_ engine: JobEngine) async throws {
        let test = JobStore(engine)
        let store = try await test.open()
        let queue = try await JobQueue.open(in: store)
        let workers = test.workers(queue, [])
        try await queue.enqueue(Mark(number: 1))
        let first = JobContext(queue: queue, job: try await claim(queue)[0], workers: workers)
        try await store.transaction { transaction in
            try await first.confirm(in: transaction)
            try transaction.put([1], [1])
        }
        test.clock.advance(by: Self.lease)
        let second = JobContext(queue: queue, job: try await claim(queue)[0], workers: workers)
        #expect(second.fence > first.fence)
        for finish in [false, true] {
            let error = await #expect(throws: StoreError.self) {
                try await store.transaction { transaction in
                    if finish {
                        try await first.finish(in: transaction)
                    } else {
                        try await first.confirm(in: transaction)
                    }
                    try transaction.put([1], [9])
                }
            }
            #expect(error?.code == .leaseLost)
        }
        #expect(try await store.fetchEntry([1])?.value == [1])
        // What the holder does and that the job is finished are one write.
        try await store.transaction { transaction in
            try transaction.put([1], [2])
            try await second.finish(in: transaction)
        }
        #expect(try await store.fetchEntry([1])?.value == [2])
        #expect(try await queue.job(second.id) == nil)
    }

    @Test(
        "a worker that is paused beyond its lease is cancelled, and its result doesn't count",
        arguments: JobEngine.reliable)
    func paused(_ engine: JobEngine) async throws {
        let (test, queue) = try await JobStore.queue(engine)
        let starts = Notebook<(attempt: Int, fence: SequenceNumber)>()
        let renewals = Notebook<Void>()
        let pause = Notebook<Int>()
        let ends = Notebook<Bool>()
        let handler = JobHandler.handling(Mark.self) { _, context in
            starts.add((context.attempt, context.fence))
            guard context.attempt == 1 else { return }
            // As in a program that stands still, also when it is cancelled.
            _ = await Task { try await pause.wait(count: 1) }.result
            ends.add(Task.isCancelled)
            throw JobFault()
        }
        // The workers of the program that stands still; their clock does, too.
        var configuration = JobWorkers.Configuration(count: 1, lease: Self.lease)
        configuration.clock = SteppedClock()
        configuration.recorder = { if case .renewed = $0 { renewals.add(()) } }
        let standing = JobWorkers(queue, configuration, handlers: [handler])
        async let first: Void = standing.run()
        let id = try await queue.enqueue(Mark(number: 1))
        try await starts.wait(count: 1)
        let others = test.workers(queue, count: 1, [handler])
        async let second: Void = others.run()
        // The engine's feed may tell late of the job, and wake those that stand still: they renew the lease.
        var renewed: Int
        repeat {
            renewed = renewals.notes.count
            test.clock.advance(by: Self.lease)
            try await starts.wait { $0.count == 2 || renewals.notes.count > renewed }
        } while starts.notes.count == 1
        #expect(starts.notes.map(\.attempt) == [1, 2])
        #expect(starts.notes[1].fence > starts.notes[0].fence)
        try await reach(queue) { $0.running + $0.due + $0.scheduled + $0.dead == 0 }
        pause.add(1)
        try await ends.wait(count: 1)
        standing.stop()
        others.stop()
        try await first
        try await second
        // Its failure was reported too late to make the job run again.
        #expect(try await queue.job(id) == nil)
    }

    @Test(
        "a program that gets a job again whose lease it has let end doesn't take one attempt for the other",
        arguments: JobEngine.reliable)
    func again(_ engine: JobEngine) async throws {
        let (test, queue) = try await JobStore.queue(engine)
        let starts = Notebook<Int>()
        let permits = [Notebook<Int>(), Notebook<Int>()]
        let later = Notebook<Int>()
        let workers = test.workers(
            queue, count: 2, lease: Self.lease,
            [
                .handling(Mark.self) { job, context in
                    guard job.number == 1 else { return later.add(job.number) }
                    starts.add(context.attempt)
                    try await permits[context.attempt - 1].wait(count: 1)
                    if context.attempt == 1 { throw JobDecision.discard("of the first attempt") }
                }
            ])
        async let running: Void = workers.run()
        let id = try await queue.enqueue(Mark(number: 1))
        try await starts.wait(count: 1)
        // The store's clock goes over the end of the lease at once, as after a pause of the whole program.
        let key = try queue.records.recordKey(id)
        try await queue.store.transaction { transaction in
            var found = try #require(try await queue.records.records(at: [key], in: transaction)[0])
            found.model.time = test.clock.now()
            try await queue.records.replace([found], in: transaction)
        }
        queue.bell.ring()
        try await starts.wait(count: 2)
        permits[0].add(1)
        // The worker that is free now has reported the first attempt when it begins another job.
        try await queue.enqueue(Mark(number: 2))
        try await later.wait(count: 1)
        #expect(try await queue.job(id)?.state == .running)
        permits[1].add(1)
        try await reach(queue) { $0.running + $0.dead + $0.due + $0.scheduled == 0 }
        workers.stop()
        try await running
    }

    @Test(
        "leases are renewed while jobs run, and a job whose lease was lost is cancelled",
        arguments: JobEngine.reliable)
    func renewal(_ engine: JobEngine) async throws {
        let test = JobStore(engine)
        let store = try await test.open()
        let queue = try await JobQueue.open(in: store)
        let started = Notebook<JobContext>()
        let ended = Notebook<Bool>()
        let workers = test.workers(
            queue,
            [
                .handling(Mark.self) { _, context in
                    started.add(context)
                    try? await Task.sleep(for: .seconds(3_600))
                    ended.add(Task.isCancelled)
                }
            ])
        async let running: Void = workers.run()
        let id = try await queue.enqueue(Mark(number: 1))
        try await started.wait(count: 1)
        let begin = test.clock.now()
        for third in 1...9 {
            test.clock.advance(by: .seconds(10))
            let expected = begin + .seconds(10 * third) + Self.lease
            while try await queue.job(id)?.time != expected { try await Task.sleep(for: .milliseconds(1)) }
            try await started.wait { $0[0].leaseEnd == expected }
        }
        #expect(try await queue.job(id)?.attempt == 1)
        // An operator removes it: the worker notices when it renews.
        try await queue.remove(id)
        test.clock.advance(by: .seconds(10))
        try await ended.wait(count: 1)
        #expect(ended.notes == [true])
        #expect(started.notes[0].leaseEnd == nil)
        workers.stop()
        try await running
        #expect(try await queue.counts() == JobCounts(due: 0, scheduled: 0, running: 0, dead: 0))
    }

    @Test("a stop lets jobs finish, and gives back those that don't", arguments: JobEngine.reliable)
    func stop(_ engine: JobEngine) async throws {
        let (test, queue) = try await JobStore.queue(engine)
        let started = Notebook<Int>()
        let permits = Notebook<Int>()
        let workers = test.workers(
            queue, count: 2, batch: 3, grace: .seconds(20),
            [
                .handling(Mark.self) { job, _ in
                    started.add(job.number)
                    if job.number == 0 { return try await permits.wait(count: 1) }
                    try await Task.sleep(for: .seconds(3_600))
                }
            ])
        try await queue.enqueue(contentsOf: (0..<6).map { Mark(number: $0) })
        async let running: Void = workers.run()
        try await started.wait(count: 2)
        workers.stop()
        permits.add(1)
        // The one that finishes is done; those that hadn't begun are given back.
        try await reach(queue) { $0.running == 1 && $0.due == 4 }
        test.clock.advance(by: .seconds(20))
        try await running
        #expect(try await queue.counts() == JobCounts(due: 5, scheduled: 0, running: 0, dead: 0))
        let page = try await queue.jobs(.waiting, limit: 10)
        #expect(page.models.allSatisfy { $0.failures == 0 })
    }

    @Test("a cancelled run gives its jobs back", arguments: JobEngine.reliable)
    func cancelled(_ engine: JobEngine) async throws {
        let (test, queue) = try await JobStore.queue(engine)
        let started = Notebook<Int>()
        let workers = test.workers(
            queue,
            [
                .handling(Mark.self) { job, _ in
                    started.add(job.number)
                    try await Task.sleep(for: .seconds(3_600))
                }
            ])
        try await queue.enqueue(contentsOf: [1, 2, 3].map { Mark(number: $0) })
        let running = Task { try await workers.run() }
        try await started.wait(count: 2)
        running.cancel()
        try await running.value
        #expect(try await queue.counts() == JobCounts(due: 3, scheduled: 0, running: 0, dead: 0))
    }

    @Test("a job that ends its program each time is a dead letter in the end", arguments: JobEngine.reliable)
    func poison(_ engine: JobEngine) async throws {
        let (test, queue) = try await JobStore.queue(engine)
        let id = try await queue.enqueue(Brittle(failures: 1))
        for attempt in 1...3 {
            #expect(try await claim(queue).map(\.record.attempt) == [attempt])
            test.clock.advance(by: Self.lease)
        }
        #expect(try await claim(queue).isEmpty)
        let job = try #require(try await queue.job(id))
        #expect(job.state == .dead && job.failure == "the lease of attempt 3 ended")
    }

    #if !CLUSTER
    // A cluster's answers get lost in LostAnswerTests.
    @Test("a claim whose outcome is unknown is recognised, and no job is taken twice")
    func unknownOutcomes() async throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            // A claim that fails once its outcome is unknown may hold jobs until their lease ends.
            let test = JobStore(.hostile, seed: seed, commitFailures: 0)
            let queue = try await retryingFailures { try await JobQueue.open(in: test.open()) }
            for number in 0..<5 {
                try await retryingFailures {
                    try await queue.enqueue(Mark(number: number), .unique("\(number)"))
                }
            }
            var taken: [JobID: SequenceNumber] = [:]
            var tries = 0
            while taken.count < 5, tries < 200 {
                tries += 1
                for job in (try? await claim(queue, 2)) ?? [] {
                    #expect(taken.updateValue(job.fence, forKey: job.record.id) == nil, "seed \(seed)")
                }
            }
            #expect(taken.count == 5, "seed \(seed)")
            for (id, fence) in taken {
                let job = try await retryingFailures { try await queue.job(id) }
                #expect(job?.attempt == 1 && fence > 0, "seed \(seed)")
            }
        }
    }
    #endif
}
