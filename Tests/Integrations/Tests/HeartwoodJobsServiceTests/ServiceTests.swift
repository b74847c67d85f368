import Heartwood
import HeartwoodJobs
import Logging
import ServiceLifecycle
import Synchronization
import Testing

/// Workers in a `ServiceGroup`: a graceful shutdown drains them.
@Suite("Workers as a service", .timeLimit(.minutes(10)))
struct ServiceTests {
    private struct Step: Job {
        static let name = "step"
        var number: Int
    }

    /// What the bodies of jobs have done.
    private final class Steps: Sendable {
        let begun = AsyncStream<Int>.makeStream()
        let ended = Mutex<[Int]>([])
        let gate = AsyncStream<Void>.makeStream()
    }

    private func open() async throws -> (Store, JobQueue) {
        var configuration = Store.Configuration()
        configuration.storage = .inMemory()
        let store = try await Store.open(at: "/jobs", configuration: configuration)
        return (store, try await JobQueue.open(in: store))
    }

    private func group(_ workers: JobWorkers) -> ServiceGroup {
        ServiceGroup(services: [workers], gracefulShutdownSignals: [], logger: Logger(label: "test"))
    }

    @Test("a graceful shutdown lets the running job finish, and takes no other")
    func drains() async throws {
        let (store, queue) = try await open()
        let steps = Steps()
        let workers = JobWorkers(
            queue, JobWorkers.Configuration(count: 1),
            handlers: [
                .handling(Step.self) { step, _ in
                    steps.begun.continuation.yield(step.number)
                    for await _ in steps.gate.stream {}
                    try Task.checkCancellation()
                    steps.ended.withLock { $0.append(step.number) }
                }
            ])
        try await queue.enqueue(contentsOf: [Step(number: 1), Step(number: 2)])
        let group = group(workers)
        async let running: Void = group.run()
        for await _ in steps.begun.stream { break }
        await group.triggerGracefulShutdown()
        // The job ends only now, after the shutdown has begun.
        steps.gate.continuation.finish()
        try await running
        #expect(steps.ended.withLock { $0 } == [1])
        let counts = try await queue.counts()
        #expect(counts.due == 1 && counts.running == 0)
        try await store.close()
    }

    @Test("what doesn't finish in time is cancelled and given back")
    func limit() async throws {
        let (store, queue) = try await open()
        let steps = Steps()
        var configuration = JobWorkers.Configuration(count: 1)
        configuration.grace = .milliseconds(50)
        let workers = JobWorkers(
            queue, configuration,
            handlers: [
                .handling(Step.self) { step, _ in
                    steps.begun.continuation.yield(step.number)
                    try await Task.sleep(for: .seconds(3_600))
                }
            ])
        try await queue.enqueue(Step(number: 1))
        let group = group(workers)
        async let running: Void = group.run()
        for await _ in steps.begun.stream { break }
        await group.triggerGracefulShutdown()
        try await running
        let counts = try await queue.counts()
        #expect(counts.due == 1 && counts.running == 0)
        try await store.close()
    }
}
