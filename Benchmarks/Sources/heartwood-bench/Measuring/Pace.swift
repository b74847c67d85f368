/// Steps at a rate that doesn't depend on how fast they are: each is due at its moment, and waits from then on. So a step
/// that blocks makes all those late that were due meanwhile, as it would for those who send requests, and they are caught
/// up with.
enum Pace {
    struct Steps: Sendable {
        var latencies = Latencies()
        var stalls = Stalls()
        var seconds = 0.0
    }

    /// Nanoseconds from one step to the next: 200,000 a second.
    private static let distance: UInt64 = 5_000

    /// Calls `body` for each step.
    @inline(__always)
    static func steps(_ run: Run, _ body: () async throws -> Void) async throws -> Steps {
        var steps = Steps()
        let start = Ticks.now
        let last = start + run.nanoseconds
        // Whoever doesn't keep up is given three times the time; how late it was is known by then.
        let deadline = start + 3 * run.nanoseconds
        var due = start
        var now = start
        while due < last, !run.isOver(now, deadline: deadline) {
            // Asleep rather than looking at the clock all the time: that would take one of few cores from the store.
            if now < due { Ticks.sleep(from: now, until: due) }
            try await body()
            now = Ticks.now
            steps.latencies.record(now - due)
            steps.stalls.note(due: due, done: now)
            due += distance
        }
        steps.seconds = Ticks.seconds(from: start, to: now)
        return steps
    }
}
