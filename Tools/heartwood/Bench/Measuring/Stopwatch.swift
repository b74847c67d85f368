/// The time of one worker's loop: when it ends, and which operations are timed.
struct Stopwatch: Sendable {
    /// When the loop ends at the latest.
    let deadline: UInt64
    /// The largest number of operations.
    let limit: Int
    /// One operation in this many is timed: reading the clock takes about 25 ns, much of a fast operation.
    let interval: Int

    private(set) var count = 0
    private(set) var latencies = LatencyHistogram()
    private(set) var end = Ticks.now
    private var began: UInt64 = 0

    init(deadline: UInt64, limit: Int = .max, interval: Int) {
        self.deadline = deadline
        self.limit = limit
        self.interval = interval
    }

    /// Calls `body` for each operation.
    @inline(__always)
    mutating func run(_ body: () throws -> Void) rethrows {
        while true {
            let group = next()
            if group == 0 { break }
            for step in 0..<group {
                try body()
                if step == 0 { lap() }
            }
        }
        end = Ticks.now
    }

    /// The same for operations that may suspend.
    @inline(__always)
    nonisolated(nonsending) mutating func runAsync(
        _ body: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        while true {
            let group = next()
            if group == 0 { break }
            for step in 0..<group {
                try await body()
                if step == 0 { lap() }
            }
        }
        end = Ticks.now
    }

    /// The number of operations in the next group; 0 at the end.
    @inline(__always)
    private mutating func next() -> Int {
        guard end < deadline, count < limit, !Interrupt.isRequested else { return 0 }
        let group = min(interval, limit &- count)
        count &+= group
        // With an interval of one, the end of an operation is the start of the next one.
        began = interval == 1 && count > 1 ? end : Ticks.now
        return group
    }

    /// After the first operation of a group.
    @inline(__always)
    private mutating func lap() {
        end = Ticks.now
        latencies.record(end &- began)
    }
}
