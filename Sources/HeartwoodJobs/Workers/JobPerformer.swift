internal import KeyValueStore
internal import Logging

/// Runs the bodies of jobs.
struct JobPerformer: Sendable {
    private let workers: JobWorkers
    private let handlers: [String: JobHandler]
    private let logger: Logger?

    init(workers: JobWorkers, handlers: [JobHandler], logger: Logger?) {
        (self.workers, self.logger) = (workers, logger)
        self.handlers = Dictionary(handlers.map { ($0.kind, $0) }, uniquingKeysWith: { $1 })
    }

    /// Runs the jobs of a slot, one after the other, in a task of its own, which is cancelled when a lease is lost.
    func run(_ jobs: [LeasedJob], _ slot: Int) async {
        for (position, job) in jobs.enumerated() {
            let event = !Task.isCancelled && workers.begin(job) ? await perform(job) : .release
            if position == jobs.count - 1 {
                workers.free(slot, with: job, event)
            } else {
                workers.report(job, event)
            }
        }
    }

    private func perform(_ job: LeasedJob) async -> HeldEvent {
        guard let handler = handlers[job.record.kind] else {
            logger?.info("job \(job.record.id): no handler is for \"\(job.record.kind)\"")
            return .fail("no handler is for \"\(job.record.kind)\"", jitter: .random(in: 0...1))
        }
        do {
            let context = JobContext(queue: workers.queue, job: job, workers: workers)
            try await handler.body(job.record.payload, workers.queue.coder, context)
            return .finish
        } catch let decision as JobDecision {
            return decision.event
        } catch {
            // A body that ends because it was cancelled hasn't failed.
            if Task.isCancelled { return .release }
            logger?.info("job \(job.record.id), attempt \(job.record.attempt), failed: \(error)")
            return .fail("\(error)", jitter: .random(in: 0...1))
        }
    }
}
