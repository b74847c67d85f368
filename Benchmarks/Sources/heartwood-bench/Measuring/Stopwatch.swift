/// The time of one worker's loop: when it ends, and which operations are timed.
struct Stopwatch: Sendable {
    /// When the loop ends at the latest.
    let deadline: UInt64
    /// The largest number of operations.
    let limit: Int
    /// One operation in this many is timed: reading the clock takes about 25 ns, much of a fast operation.
    let interval: Int

    private(set) var count = 0
    private(set) var latencies = Latencies()
    private(set) var end: UInt64
    private var began: UInt64 = 0

    init(deadline: UInt64, limit: Int = .max, interval: Int) {
        self.deadline = deadline
        self.limit = limit
        self.interval = interval
        end = Ticks.now
    }

    /// The number of operations in the next group; 0 at the end.
    @inline(__always)
    mutating func next() -> Int {
        guard end < deadline, count < limit else { return 0 }
        let group = min(interval, limit &- count)
        count &+= group
        began = interval == 1 && count > 1 ? end : Ticks.now
        return group
    }

    /// Call after the first operation of a group.
    @inline(__always)
    mutating func lap() {
        end = Ticks.now
        latencies.record(end &- began)
    }

    /// Call after the last operation of the worker.
    mutating func stop() {
        end = Ticks.now
    }
}
