internal import Heartwood

/// One task overwrites random keys, `.buffered`, in a store that compacts automatically: the cost of a put, including
/// its share of the compactions.
///
/// Measured from the end of one compaction to the end of a later one, so that the compactions match the puts.
enum WriteCost {
    /// The smallest number of compactions that is measured.
    private static let compactions: UInt64 = 2
    /// Bytes of log at which puts wait for compaction, so that slow compactions don't fill the disk.
    private static let logLimit: UInt64 = 8 << 30
    /// Puts between two reads of the statistics.
    private static let checkInterval = 4_096

    static func measure(_ cell: Cell) async throws -> Measured {
        let store = try await Store.open(at: cell.store)
        // A task of its own, as the other workloads have.
        let measured = try await Task { try await put(cell, store) }.value
        let keys = store.statistics.keys
        try await store.close()
        guard keys == cell.data.keyCount else {
            throw WrongResult("\(cell.data.keyCount) keys were overwritten, but the store has \(keys)")
        }
        return measured
    }

    private static func put(_ cell: Cell, _ store: Store) async throws -> Measured {
        let (keys, values) = (cell.data.keys(), cell.data.values)
        var walk = KeyWalk(.random(seed: cell.seed(0)), 0..<keys.count, valueCount: values.count, round: 1)
        var key = keys.makeBuffer()
        /// Puts until that many compactions are completed and the deadline has passed.
        func put(until compactions: UInt64, deadline: UInt64) async throws -> Int {
            var count = 0
            var completed: UInt64 = 0
            while true {
                for _ in 0..<checkInterval {
                    walk.advance()
                    keys.write(walk.number, to: &key)
                    try await store.put(key, values[walk.value], durability: .buffered)
                }
                count += checkInterval
                while store.statistics.logBytes > logLimit { try await Task.sleep(for: .milliseconds(10)) }
                let statistics = store.statistics.compaction
                if let failure = statistics.failure { throw WrongResult("a compaction failed: \(failure)") }
                // Stops right after the end of a compaction.
                let hasEnded = statistics.completed > completed
                completed = statistics.completed
                if hasEnded, completed >= compactions, Ticks.now >= deadline { return count }
            }
        }
        _ = try await put(until: 1, deadline: 0)
        let earlier = store.statistics.compaction.completed
        let before = ProcessUse.now
        let start = Ticks.now
        var measured = Measured()
        measured.operations = try await put(until: earlier + compactions, deadline: start + cell.nanoseconds)
        measured.seconds = Ticks.seconds(from: start, to: Ticks.now)
        measured.bytes = UInt64(measured.operations * cell.data.pairBytes)
        measured.note(ProcessUse.now, since: before)
        measured.figures[.compactions] = Double(store.statistics.compaction.completed - earlier)
        return measured
    }
}
