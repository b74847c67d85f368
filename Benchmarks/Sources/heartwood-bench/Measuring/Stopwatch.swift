/// How one worker's loop keeps the time: when it ends, and which operations are timed by themselves.
struct Stopwatch: Sendable {
    /// When it ends, at the latest.
    let deadline: UInt64
    /// How many operations there are at most.
    let limit: Int
    /// One of so many operations is timed: a look at the clock takes some 25 ns, which is much of a quick one.
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

    /// Whether another group of operations is to be done, and how many.
    @inline(__always)
    mutating func next() -> Int {
        guard end < deadline, count < limit else { return 0 }
        let group = min(interval, limit &- count)
        count &+= group
        began = interval == 1 && count > 1 ? end : Ticks.now
        return group
    }

    /// The first operation of a group is done.
    @inline(__always)
    mutating func lap() {
        end = Ticks.now
        latencies.record(end &- began)
    }

    /// The worker has done its last operation.
    mutating func stop() {
        end = Ticks.now
    }
}
