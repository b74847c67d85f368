internal import Heartwood

/// One task that overwrites random keys, `.buffered`, in a store that compacts itself: what a put costs, its share of
/// compactions included.
///
/// Counted from the end of one compaction to the end of a later one, so that there are as many of them as belong to the
/// puts.
struct WriteCost: Workload {
    let name: String
    let title: String
    let group = WorkloadGroup.compaction
    /// Keys, as a multiple of those asked for, and as a part of them.
    var scale = 1
    var part = 1
    var targets: [Target] = []
    var isLarge: Bool { scale > 1 }

    /// Compactions that are counted at least.
    private static let compactions: UInt64 = 2
    /// Bytes of log at which puts wait until a compaction is done: where compactions take long, the disk would be full.
    private static let logLimit = 2 * StoreLegs.logLimit
    /// Puts from one look at the statistics to the next.
    private static let checkInterval = 4_096

    func measure(_ run: Run) async throws -> Sample {
        let run = run.with(keyCount: max(1, run.data.keyCount * scale / part))
        let path = try await FilledStore.compactedCopy(run)
        let store = try await Store.open(at: path)
        // A task of its own, as the other workloads have.
        let sample = try await Task { try await Self.put(run, store) }.value
        let keys = store.statistics.keys
        try await store.close()
        try run.directory.remove(path)
        guard keys == run.data.keyCount else {
            throw WrongResult("\(run.data.keyCount) keys were overwritten, and the store has \(keys)")
        }
        return sample
    }

    private static func put(_ run: Run, _ store: Store) async throws -> Sample {
        var pairs = run.data.overwrites(seed: 3)
        /// Puts until that many compactions are done, and that time is over.
        func put(until compactions: UInt64, deadline: UInt64) async throws -> Int {
            var count = 0
            var completed: UInt64 = 0
            while !run.isInterrupted {
                for _ in 0..<checkInterval {
                    pairs.advance()
                    try await store.put(pairs.key, pairs.value, durability: .buffered)
                }
                count += checkInterval
                while store.statistics.logBytes > logLimit, !run.isInterrupted {
                    try await Task.sleep(for: .milliseconds(10))
                }
                let statistics = store.statistics.compaction
                if let failure = statistics.failure { throw WrongResult("a compaction failed: \(failure)") }
                // The end of one, that of the last put or an earlier one, is what is waited for.
                let hasEnded = statistics.completed > completed
                completed = statistics.completed
                if hasEnded, completed >= compactions, Ticks.now >= deadline { break }
            }
            return count
        }
        _ = try await put(until: 1, deadline: 0)
        let earlier = store.statistics.compaction.completed
        let before = ProcessUse.now
        let start = Ticks.now
        let count = try await put(until: earlier + compactions, deadline: start + run.nanoseconds)
        let seconds = Ticks.seconds(from: start, to: Ticks.now)
        let after = ProcessUse.now
        var sample = Sample(operations: count, seconds: seconds)
        if let before = before.writtenBytes, let after = after.writtenBytes {
            sample.figures[.writtenAPut] = Double(after - before) / Double(count)
        }
        sample.figures[.processorAPut] =
            Double(after.processorNanoseconds - before.processorNanoseconds) / Double(count)
        sample.figures[.compactions] = Double(store.statistics.compaction.completed - earlier)
        return sample
    }
}
