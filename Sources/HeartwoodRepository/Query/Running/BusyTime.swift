/// Lets other tasks run while a query works without waiting: about once a millisecond. A thread of the cooperative pool
/// that doesn't do this delays all other tasks of the process.
struct BusyTime {
    private var count = 0
    private var start = ContinuousClock.now

    /// Call it for each record.
    nonisolated(nonsending) mutating func step() async {
        count += 1
        guard count >= 64 else { return }
        count = 0
        guard ContinuousClock.now - start > .milliseconds(1) else { return }
        await Task.yield()
        start = ContinuousClock.now
    }
}
