import CoreMetrics
import HeartwoodJobs

/// Metrics of jobs, with the names of swift-jobs.
struct JobMetrics: Sendable {
    let registry: MetricsRegistry

    /// Runs the body of a job, and records how it ended and how long it took.
    func measuring(_ name: String, _ body: () async throws -> Void) async throws {
        let started = ContinuousClock.now
        do {
            try await body()
            ended(name, "succeeded", since: started)
        } catch {
            ended(name, Task.isCancelled ? "cancelled" : "failed", since: started)
            throw error
        }
    }

    private func ended(_ name: String, _ status: String, since started: ContinuousClock.Instant) {
        let labels = [("name", name), ("status", status)]
        registry.makeCounter(label: "swift.jobs", dimensions: labels).increment(by: 1)
        registry.histogram("swift.jobs.duration", labels).record((ContinuousClock.now - started) / .seconds(1))
    }

    func update(_ queue: JobQueue) async throws {
        let counts = try await queue.counts()
        let states = [
            ("queued", counts.due), ("scheduled", counts.scheduled), ("processing", counts.running),
            ("dead", counts.dead),
        ]
        for (status, count) in states { registry.gauge("swift.jobs.meter", [("status", status)]).set(Double(count)) }
    }
}
