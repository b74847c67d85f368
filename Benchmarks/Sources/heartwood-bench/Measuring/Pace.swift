/// Steps at a fixed rate. Each step is due at a fixed time, and its latency counts from that time. A step that blocks
/// delays all steps that become due meanwhile, as it would for clients of a service. This avoids coordinated omission.
struct Pace: Sendable {
    /// Nanoseconds from one step to the next.
    let distance: UInt64
    let nanoseconds: UInt64
    /// When the first step is due.
    let start: UInt64

    /// - Parameters:
    ///   - rate: Steps per second of all workers together.
    ///   - worker: The number of this worker. The workers' steps alternate.
    init(rate: Int, worker: Int = 0, of workers: Int = 1, nanoseconds: UInt64, since start: UInt64) {
        distance = UInt64(1_000_000_000 * workers / rate)
        self.nanoseconds = nanoseconds
        self.start = start + distance * UInt64(worker) / UInt64(workers)
    }

    /// The latencies of the steps.
    struct Steps: Sendable {
        var latencies = Latencies()
        var stalls = Stalls()
        /// The latencies of each second.
        var seconds: [Latencies] = []
        var count = 0
        var end: UInt64 = 0

        mutating func add(_ other: Steps) {
            latencies.add(other.latencies)
            count += other.count
            end = max(end, other.end)
            for (second, latencies) in other.seconds.enumerated() {
                if second < seconds.count { seconds[second].add(latencies) } else { seconds.append(latencies) }
            }
        }

        /// Each second, with the steps that ended in it.
        var timeline: [CellResult.Moment] {
            seconds.enumerated().map { second, latencies in
                CellResult.Moment(
                    second: Double(second), operations: latencies.count,
                    p99: latencies.count > 0 ? latencies.percentile(99) : 0, maximum: latencies.maximum)
            }
        }
    }

    /// Calls `body` for each step.
    @inline(__always)
    nonisolated(nonsending) func steps(_ body: () async throws -> Void) async throws -> Steps {
        var steps = Steps()
        steps.seconds = [Latencies()]
        var second = 0
        var secondEnd = start + 1_000_000_000
        let last = start + nanoseconds
        // An engine that doesn't keep up gets three times the time.
        let deadline = start + 3 * nanoseconds
        var due = start
        var now = start
        while due < last, now < deadline {
            // Sleeps instead of polling the clock, which would take one of few cores from the store.
            if now < due { Ticks.sleep(from: now, until: due) }
            try await body()
            now = Ticks.now
            while now >= secondEnd {
                steps.seconds.append(Latencies())
                second += 1
                secondEnd += 1_000_000_000
            }
            steps.latencies.record(now - due)
            steps.seconds[second].record(now - due)
            steps.stalls.note(due: due, done: now)
            steps.count += 1
            due += distance
        }
        steps.end = now
        return steps
    }
}
