import HeartwoodRepository
import Testing

@testable import HeartwoodJobs

@Suite("Workers", .timeLimit(.minutes(10)))
struct WorkersTests {
    @Test("every job runs, in the order of priority and arrival", arguments: JobEngine.allCases)
    func order(_ engine: JobEngine) async throws {
        let test = JobStore(engine)
        let queue = try await retryingFailures { try await JobQueue.open(in: test.open()) }
        for number in 0..<12 {
            let priority: JobPriority = [.low, .normal, .high][number % 3]
            try await retryingFailures { try await queue.enqueue(Mark(number: number), JobOptions(priority: priority)) }
        }
        let notes = Notebook<Int>()
        let workers = test.workers(queue, count: 1, [.handling(Mark.self) { job, _ in notes.add(job.number) }])
        async let running: Void = workers.run()
        try await notes.wait { Set($0).count == 12 }
        workers.stop()
        try await running
        // An enqueuing whose outcome was unknown may have been done twice.
        var seen: Set<Int> = []
        let order = notes.notes.filter { seen.insert($0).inserted }
        if engine == .embedded { #expect(order == [2, 5, 8, 11, 1, 4, 7, 10, 0, 3, 6, 9]) }
        #expect(try await queue.counts() == JobCounts(due: 0, scheduled: 0, running: 0, dead: 0))
    }

    @Test("a job runs at its time", arguments: JobEngine.reliable)
    func scheduled(_ engine: JobEngine) async throws {
        let (test, queue) = try await JobStore.queue(engine)
        let notes = Notebook<Timestamp>()
        let workers = test.workers(queue, [.handling(Mark.self) { _, _ in notes.add(test.clock.now()) }])
        async let running: Void = workers.run()
        let due = test.clock.now() + .seconds(60)
        try await queue.enqueue(Mark(number: 1), .after(.seconds(60)))
        #expect(try await queue.counts() == JobCounts(due: 0, scheduled: 1, running: 0, dead: 0))
        test.clock.advance(by: .seconds(59))
        try await queue.enqueue(Mark(number: 2))
        try await notes.wait(count: 1)
        test.clock.advance(by: .seconds(1))
        try await notes.wait(count: 2)
        #expect(notes.notes == [due + .seconds(-1), due])
        workers.stop()
        try await running
    }

    @Test(
        "a job that fails is tried again after its pause, and is a dead letter in the end",
        arguments: JobEngine.reliable)
    func retries(_ engine: JobEngine) async throws {
        let (test, queue) = try await JobStore.queue(engine)
        let notes = Notebook<Int>()
        let workers = test.workers(
            queue,
            [
                .handling(Brittle.self) { _, context in
                    notes.add(context.attempt)
                    throw JobFault()
                }
            ])
        async let running: Void = workers.run()
        let id = try await queue.enqueue(Brittle(failures: 9))
        try await notes.wait(count: 1)
        try await reach(queue) { $0.scheduled == 1 }
        let first = try #require(try await queue.job(id))
        #expect(first.failures == 1 && first.failure == "a fault")
        let pause = first.time.milliseconds - test.clock.now().milliseconds
        #expect((5_000...10_000).contains(pause))
        test.clock.advance(by: .seconds(10))
        try await notes.wait(count: 2)
        try await reach(queue) { $0.scheduled == 1 }
        test.clock.advance(by: .seconds(20))
        try await notes.wait(count: 3)
        try await reach(queue) { $0.dead == 1 }
        #expect(notes.notes == [1, 2, 3])
        // A dead letter runs once more if it is retried.
        #expect(try await queue.jobs(.dead, limit: 10).models.map(\.id) == [id])
        #expect(try await queue.retry(id))
        try await notes.wait(count: 4)
        try await reach(queue) { $0.dead == 1 }
        #expect(try await queue.retryDeadLetters() == 1)
        try await notes.wait(count: 5)
        try await reach(queue) { $0.dead == 1 }
        #expect(try await queue.removeDeadLetters(before: test.clock.now()) == 0)
        #expect(try await queue.removeDeadLetters() == 1)
        #expect(try await queue.retry(id) == false)
        workers.stop()
        try await running
    }

    @Test("what a body decides is done", arguments: JobEngine.reliable)
    func decisions(_ engine: JobEngine) async throws {
        let (test, queue) = try await JobStore.queue(engine)
        let notes = Notebook<Int>()
        let workers = test.workers(
            queue,
            [
                .handling(Mark.self) { job, context in
                    notes.add(job.number)
                    switch (job.number, context.attempt) {
                    case (1, _): throw JobDecision.discard("useless")
                    case (2, 1): throw JobDecision.snooze(.seconds(100))
                    case (3, 1): throw JobDecision.retry(after: .seconds(1_000), "busy")
                    default: break
                    }
                }
            ])
        let ids = try await queue.enqueue(contentsOf: [1, 2, 3].map { Mark(number: $0) })
        struct Unknown: Job {
            static let name = "unknown"
        }
        let unknown = try await queue.enqueue(Unknown())
        async let running: Void = workers.run()
        try await reach(queue) { $0 == JobCounts(due: 0, scheduled: 3, running: 0, dead: 1) }
        #expect(try await queue.job(ids[0])?.failure == "useless")
        #expect(try await queue.job(ids[1])?.failures == 0)
        #expect(try await queue.job(ids[2])?.failures == 1)
        #expect(try await queue.job(unknown)?.failure == "no handler is for \"unknown\"")
        try await queue.remove(unknown)
        test.clock.advance(by: .seconds(100))
        try await notes.wait(count: 4)
        test.clock.advance(by: .seconds(900))
        try await notes.wait(count: 5)
        #expect(notes.notes.suffix(2) == [2, 3])
        workers.stop()
        try await running
        #expect(try await queue.counts() == JobCounts(due: 0, scheduled: 0, running: 0, dead: 1))
    }

    @Test("a job that doesn't decode is a dead letter", arguments: JobEngine.reliable)
    func undecodable(_ engine: JobEngine) async throws {
        struct Renamed: Job {
            static let name = "mark"
            var other: String
        }
        let (test, queue) = try await JobStore.queue(engine)
        let id = try await queue.enqueue(Renamed(other: "x"))
        let workers = test.workers(queue, [.handling(Mark.self) { _, _ in }])
        async let running: Void = workers.run()
        try await reach(queue) { $0.dead == 1 }
        #expect(try await queue.job(id)?.failure?.contains("doesn't decode") == true)
        workers.stop()
        try await running
    }

    @Test("workers that can't work say so", arguments: JobEngine.reliable)
    func refusals(_ engine: JobEngine) async throws {
        let (test, queue) = try await JobStore.queue(engine)
        let twice = test.workers(queue, [.handling(Mark.self) { _, _ in }, .handling(Mark.self) { _, _ in }])
        await #expect(throws: StoreError.self) { try await twice.run() }
        for lease in [Duration.zero, .milliseconds(99), .seconds(Int64.max)] {
            let workers = test.workers(queue, lease: lease, [])
            await #expect(throws: StoreError.self) { try await workers.run() }
        }
        let stopped = test.workers(queue, [])
        stopped.stop()
        try await stopped.run()
        await #expect(throws: StoreError.self) { try await stopped.run() }
    }

    @Test("more workers than a batch of the engine allows", arguments: JobEngine.limited, [20, 400])
    func limits(_ engine: JobEngine, _ bytes: Int) async throws {
        struct Heavy: Job {
            static let name = "heavy"
            var number: Int
            var text: String
        }
        let (test, queue) = try await JobStore.queue(engine)
        let notes = Notebook<Int>()
        // With 400 KiB each, the engine takes three in one batch.
        let text = String(repeating: "x", count: bytes << 10)
        for number in 0..<40 { try await queue.enqueue(Heavy(number: number, text: text)) }
        let workers = test.workers(
            queue, count: 8, batch: 32, [.handling(Heavy.self) { job, _ in notes.add(job.number) }])
        async let running: Void = workers.run()
        try await notes.wait(count: 40)
        workers.stop()
        try await running
        #expect(notes.notes.sorted() == Array(0..<40))
        let huge = Heavy(number: 1, text: String(repeating: "x", count: 1_495_000))
        let error = await #expect(throws: StoreError.self) { try await queue.enqueue(huge) }
        #expect(error?.code == .tooLarge)
    }

    @Test(
        "many jobs, several sets of workers: each runs, and only once where nothing fails",
        arguments: JobEngine.reliable)
    func sets(_ engine: JobEngine) async throws {
        let test = JobStore(engine)
        let first = try await test.open()
        let stores = engine == .embedded ? [first, first] : [first, try await test.open()]
        let notes = Notebook<Int>()
        var sets: [JobWorkers] = []
        for store in stores {
            let queue = try await JobQueue.open(in: store)
            sets.append(
                test.workers(
                    queue, count: 3, batch: sets.isEmpty ? 1 : 4,
                    [.handling(Mark.self) { job, _ in notes.add(job.number) }]))
        }
        let queue = try await JobQueue.open(in: first)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for workers in sets { group.addTask { try await workers.run() } }
            for part in 0..<10 {
                try await queue.enqueue(contentsOf: (0..<10).map { Mark(number: part * 10 + $0) })
            }
            try await notes.wait(count: 100)
            for workers in sets { workers.stop() }
            try await group.waitForAll()
        }
        #expect(notes.notes.sorted() == Array(0..<100))
        #expect(try await queue.counts() == JobCounts(due: 0, scheduled: 0, running: 0, dead: 0))
    }
}

struct JobFault: Error, CustomStringConvertible {
    var description: String { "a fault" }
}

/// Waits until the counts are as expected.
func reach(_ queue: JobQueue, _ isReached: @Sendable (JobCounts) -> Bool) async throws {
    for try await counts in queue.observeCounts() where isReached(counts) { return }
    Issue.record("the store was closed")
}
