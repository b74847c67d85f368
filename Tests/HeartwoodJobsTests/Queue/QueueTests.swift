import HeartwoodRepository
import Testing

@testable import HeartwoodJobs

@Suite("Queues", .timeLimit(.minutes(10)))
struct QueueTests {
    struct User: Codable, Identifiable, Sendable, Equatable {
        var id: Int
        var name: String
    }

    @Test("a job and the data that it follows from are one write", arguments: JobEngine.reliable)
    func transactions(_ engine: JobEngine) async throws {
        let test = JobStore(engine)
        let store = try await test.open()
        let queue = try await JobQueue.open(in: store)
        let users = try await store.repository(of: User.self, named: "users", indexes: [.unique("name", \.name)])
        let notes = Notebook<Int>()
        let workers = test.workers(queue, [.handling(Mark.self) { job, _ in notes.add(job.number) }])
        async let running: Void = workers.run()
        try await store.transaction { transaction in
            try await users.insert(User(id: 1, name: "Ada"), in: transaction)
            try await queue.enqueue(Mark(number: 1), in: transaction)
        }
        // The workers are woken by the commit.
        try await notes.wait(count: 1)
        await #expect(throws: StoreError.self) {
            try await store.transaction { transaction in
                try await queue.enqueue(Mark(number: 2), in: transaction)
                try await users.insert(User(id: 2, name: "Ada"), in: transaction)
            }
        }
        await #expect(throws: JobFault.self) {
            try await store.transaction { transaction in
                try await queue.enqueue(Mark(number: 3), in: transaction)
                throw JobFault()
            }
        }
        let dead = try #require(JobID("00000000-0000-0000-0000-000000000000"))
        for write in [
            { try await queue.enqueue(Mark(number: 4)) }, { try await queue.enqueue(contentsOf: [Mark(number: 4)]) },
            { try await queue.retry(dead) }, { try await queue.remove(dead) },
            { try await queue.retryDeadLetters() }, { try await queue.removeDeadLetters() },
        ] as [@Sendable () async throws -> Any] {
            let error = await #expect(throws: StoreError.self) {
                try await store.transaction { _ in _ = try await write() }
            }
            #expect(error?.message.contains("inside the body of a transaction") == true)
        }
        // What the body leaves in a task is refused, not lost.
        var kept: Transaction?
        try await store.transaction { kept = $0 }
        let late = try #require(kept)
        let error = await #expect(throws: StoreError.self) { try await queue.enqueue(Mark(number: 5), in: late) }
        #expect(error?.code == .invalidArgument)
        workers.stop()
        try await running
        #expect(notes.notes == [1])
        #expect(try await queue.counts() == JobCounts(due: 0, scheduled: 0, running: 0, dead: 0))
        #expect(try await users.count() == 1)
    }

    @Test("a unique job is enqueued once while it waits or runs", arguments: JobEngine.reliable)
    func unique(_ engine: JobEngine) async throws {
        let test = JobStore(engine)
        let store = try await test.open()
        let queue = try await JobQueue.open(in: store)
        let id = try await queue.enqueue(Mark(number: 1), .unique("a"))
        #expect(try await queue.enqueue(Mark(number: 2), .unique("a")) == id)
        #expect(try await queue.enqueue(Mark(number: 3), .unique("b")) != id)
        let twice = try await store.transaction { transaction in
            let first = try await queue.enqueue(Mark(number: 4), .unique("c"), in: transaction)
            return (first, try await queue.enqueue(Mark(number: 5), .unique("c"), in: transaction))
        }.value
        #expect(twice.0 == twice.1)
        let ids = try await withThrowingTaskGroup(of: JobID.self) { group in
            for number in 0..<10 {
                group.addTask { try await queue.enqueue(Mark(number: number), .unique("d")) }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        #expect(try await queue.counts().due == 4)
        // A dead letter gives its key up; it can't be retried while another job has it.
        let job = try #require(
            try await queue.exchange(Exchange(demand: 4, lease: .seconds(30))).claimed.first { $0.record.id == id })
        #expect(try await queue.enqueue(Mark(number: 6), .unique("a")) == id)
        let report = Exchange.Report(job: job, event: .discard("no"))
        _ = try await queue.exchange(Exchange(reports: [report], lease: .seconds(30)))
        #expect(try await queue.enqueue(Mark(number: 7), .unique("a")) != id)
        await #expect(throws: StoreError.self) { try await queue.retry(id) }
        #expect(try await queue.retryDeadLetters() == 0)
        #expect(try await queue.job(id)?.state == .dead)
    }

    @Test("options are those of the call, then of the type, then the defaults", arguments: JobEngine.reliable)
    func options(_ engine: JobEngine) async throws {
        let (test, queue) = try await JobStore.queue(engine)
        let plain = try #require(try await queue.job(try await queue.enqueue(Mark(number: 1))))
        #expect(plain.limit == 20 && plain.priority == .normal && plain.time == test.clock.now())
        let time = test.clock.now() + .seconds(5)
        let options = JobOptions(priority: .high, start: .at(time))
        let brittle = try #require(try await queue.job(try await queue.enqueue(Brittle(failures: 1), options)))
        #expect(brittle.limit == 3 && brittle.priority == .high && brittle.time == time)
        #expect(brittle.enqueued == test.clock.now() && brittle.kind == "brittle" && brittle.attempt == 0)
    }

    @Test("what can't be enqueued is refused", arguments: JobEngine.reliable)
    func refusals(_ engine: JobEngine) async throws {
        struct Infinite: Job {
            static let name = "infinite"
            var number = Double.infinity
        }
        let queue = try await JobStore.queue(engine).queue
        let long = String(repeating: "k", count: 1_025)
        await #expect(throws: StoreError.self) { try await queue.enqueue(Mark(number: 1), .unique(long)) }
        await #expect(throws: StoreError.self) { try await queue.enqueue(Mark(number: 1), .unique("")) }
        await #expect(throws: StoreError.self) { try await queue.enqueue(Infinite()) }
        await #expect(throws: StoreError.self) {
            try await queue.enqueue(contentsOf: [Mark(number: 1), Mark(number: 2)], .unique("k"))
        }
        #expect(try await queue.enqueue(contentsOf: [Mark]()).isEmpty)
        #expect(try await queue.counts().due == 0)
    }

    @Test("counts are live, also when only time passes", arguments: JobEngine.reliable)
    func counts(_ engine: JobEngine) async throws {
        let (test, queue) = try await JobStore.queue(engine)
        var live = queue.observeCounts().makeAsyncIterator()
        #expect(try await live.next() == JobCounts(due: 0, scheduled: 0, running: 0, dead: 0))
        try await queue.enqueue(contentsOf: [Mark(number: 1), Mark(number: 2)])
        #expect(try await live.next() == JobCounts(due: 2, scheduled: 0, running: 0, dead: 0))
        try await queue.enqueue(Mark(number: 3), JobOptions(priority: .low, start: .after(.seconds(60))))
        #expect(try await live.next() == JobCounts(due: 2, scheduled: 1, running: 0, dead: 0))
        _ = try await queue.exchange(Exchange(demand: 1, lease: .seconds(600)))
        #expect(try await live.next() == JobCounts(due: 1, scheduled: 1, running: 1, dead: 0))
        test.clock.advance(by: .seconds(60))
        #expect(try await live.next() == JobCounts(due: 2, scheduled: 0, running: 1, dead: 0))
    }

    @Test("a page of jobs continues after its cursor", arguments: JobEngine.reliable)
    func pages(_ engine: JobEngine) async throws {
        let queue = try await JobStore.queue(engine).queue
        let ids = try await queue.enqueue(contentsOf: (0..<25).map { Mark(number: $0) })
        var seen: [JobID] = []
        var cursor: QueryCursor?
        repeat {
            let page = try await queue.jobs(.waiting, limit: 10, after: cursor)
            seen += page.models.map(\.id)
            cursor = page.next
        } while cursor != nil
        #expect(seen == ids)
    }

    @Test("queues of one store have nothing in common", arguments: JobEngine.reliable)
    func several(_ engine: JobEngine) async throws {
        let test = JobStore(engine)
        let store = try await test.open()
        let first = try await JobQueue.open(in: store, named: "first")
        let second = try await JobQueue.open(in: store, named: "second")
        try await first.enqueue(Mark(number: 1), .unique("k"))
        try await second.enqueue(Mark(number: 2), .unique("k"))
        #expect(try await first.counts().due == 1)
        #expect(try await second.exchange(Exchange(demand: 9, lease: .seconds(1))).claimed.count == 1)
    }
}
