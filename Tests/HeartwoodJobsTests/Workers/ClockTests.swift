import HeartwoodRepository
import Testing

@testable import HeartwoodJobs

@Suite("A clock that is set", .timeLimit(.minutes(10)))
struct ClockTests {
    private static let year = Duration.seconds(365 * 86_400)

    @Test("delays, leases and retries take as long after the clock was a year ahead")
    func ahead() async throws {
        let test = JobStore(.embedded)
        let queue = try await JobQueue.open(in: test.open())
        test.clock.jump(by: Self.year)
        try await queue.enqueue(Brittle(failures: 2))
        try await queue.enqueue(Mark(number: 1), .after(.seconds(100)))
        // By a program that dies.
        #expect(try await queue.exchange(Exchange(demand: 1, lease: .seconds(30))).claimed.count == 1)
        test.clock.jump(by: .zero - Self.year)
        let (attempts, marks) = (Notebook<Int>(), Notebook<Int>())
        let workers = test.workers(
            queue,
            [
                .handling(Brittle.self) { _, context in
                    attempts.add(context.attempt)
                    if context.attempt == 2 { throw JobFault() }
                },
                .handling(Mark.self) { job, _ in marks.add(job.number) },
            ])
        async let running: Void = workers.run()
        test.clock.advance(by: .seconds(30))
        try await attempts.wait(count: 1)
        try await reach(queue) { $0.running == 0 }
        // The clock is set while the workers wait for the retry, in both directions.
        test.clock.jump(by: .seconds(-3_600))
        test.clock.advance(by: .seconds(60))
        try await attempts.wait(count: 2)
        #expect(attempts.notes == [2, 3] && marks.notes.isEmpty)
        test.clock.jump(by: Self.year)
        test.clock.advance(by: .seconds(10))
        try await marks.wait(count: 1)
        workers.stop()
        try await running
        #expect(try await queue.counts() == JobCounts(due: 0, scheduled: 0, running: 0, dead: 0))
    }
}
