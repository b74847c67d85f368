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

    /// Consecutive steps that were late.
    struct Stall: Sendable {
        /// The shortest delay of a stall, in nanoseconds.
        static let shortest: UInt64 = 20_000_000

        /// From when the first was due until the last was done.
        var time: Range<UInt64>
        /// The largest delay, in nanoseconds.
        var length: UInt64
    }

    /// The latencies of the steps.
    struct Steps: Sendable {
        var latencies = LatencyHistogram()
        var stalls: [Stall] = []
        var count = 0
        var end: UInt64 = 0
        private var isLate = false

        mutating func add(_ other: Steps) {
            latencies.add(other.latencies)
            count += other.count
            end = max(end, other.end)
        }

        fileprivate mutating func noteStall(_ due: UInt64, _ done: UInt64) {
            let (length, wasLate) = (done - due, isLate)
            isLate = length > Stall.shortest
            guard isLate else { return }
            if wasLate, let last = stalls.popLast() {
                stalls.append(Stall(time: last.time.lowerBound..<done, length: max(last.length, length)))
            } else {
                stalls.append(Stall(time: due..<done, length: length))
            }
        }

        @inline(__always)
        fileprivate mutating func note(due: UInt64, done: UInt64) {
            latencies.record(done - due)
            if done &- due > Stall.shortest || isLate { noteStall(due, done) }
            count += 1
        }
    }

    /// Calls `body` for each step.
    @inline(__always)
    nonisolated(nonsending) func steps(
        _ body: nonisolated(nonsending) () async throws -> Void
    ) async throws -> Steps {
        var steps = Steps()
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
            steps.note(due: due, done: now)
            due += distance
        }
        steps.end = now
        return steps
    }

    /// Puts what a walk visits.
    @inline(__always)
    nonisolated(nonsending) func put<S: Session>(
        _ session: S, _ walk: KeyWalk, _ data: Dataset
    ) async throws -> Steps {
        var walk = walk
        let (keys, values) = (data.keys(), data.values)
        var key = keys.makeBuffer()
        return try await steps {
            walk.advance()
            keys.write(walk.number, to: &key)
            try await session.put(key, values[walk.value])
        }
    }
}
