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
    /// The current group's operations, and the number of the current one, counted from 1.
    private var (group, step) = (0, 0)

    init(deadline: UInt64, limit: Int = .max, interval: Int) {
        self.deadline = deadline
        self.limit = limit
        self.interval = interval
    }

    /// Whether there is another operation: `while watch.next() { … }`.
    @inline(__always)
    mutating func next() -> Bool {
        if step == 1 { lap() }
        if step < group {
            step &+= 1
            return true
        }
        return nextGroup()
    }

    private mutating func nextGroup() -> Bool {
        guard end < deadline, count < limit, !Interrupt.isRequested else {
            end = Ticks.now
            return false
        }
        group = min(interval, limit &- count)
        count &+= group
        step = 1
        // With an interval of one, the end of an operation is the start of the next one.
        began = interval == 1 && count > 1 ? end : Ticks.now
        return true
    }

    /// After the first operation of a group.
    @inline(__always)
    private mutating func lap() {
        end = Ticks.now
        latencies.record(end &- began)
    }
}
