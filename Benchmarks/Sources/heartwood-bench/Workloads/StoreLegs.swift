internal import Heartwood

/// Writes to fresh stores, one after another, for the time of a run: a store whose log grows beyond some 4 GiB gives
/// way to the next, and the clock stands meanwhile.
struct StoreLegs {
    /// Bytes of log after which a store gives way, about.
    static let logLimit: UInt64 = 4 << 30
    /// Puts after which a store gives way: one takes some 160 bytes of log, its share of a commit header included.
    static let putLimit = Int(logLimit) / 160

    /// One stretch of writing to one store.
    struct Leg: Sendable {
        let run: Run
        let store: Store
        /// When the clock stops.
        let deadline: UInt64
        /// Puts that earlier legs have done.
        let done: Int

        /// Whether a writer that has done `count` puts, one of `writers`, is to stop.
        @inline(__always)
        func isOver(_ now: UInt64, count: Int, of writers: Int = 1) -> Bool {
            count >= StoreLegs.putLimit / writers || run.isOver(now, deadline: deadline)
        }
    }

    /// What the writers of a leg have done.
    struct Outcome {
        var puts: Int
        var writes: Int
        var latencies: Latencies?
    }

    /// Calls `body` until the time of the run is over.
    static func measure(_ run: Run, _ body: (Leg) async throws -> Outcome) async throws -> Sample {
        var puts = 0
        var nanoseconds: UInt64 = 0
        var latencies: Latencies?
        var writes: UInt64 = 0
        var syncs: UInt64 = 0
        repeat {
            let path = run.directory.freshPath("store")
            let store = try await Store.open(at: path)
            let start = Ticks.now
            let leg = Leg(run: run, store: store, deadline: start + run.nanoseconds - nanoseconds, done: puts)
            let outcome = try await body(leg)
            nanoseconds += Ticks.now - start
            let statistics = store.statistics
            try await store.close()
            try run.directory.remove(path)
            guard statistics.batches == UInt64(outcome.writes), statistics.records == UInt64(outcome.puts) else {
                throw WrongResult(
                    "\(outcome.puts) puts in \(outcome.writes) writes were made, the store counted "
                        + "\(statistics.records) in \(statistics.batches)")
            }
            puts += outcome.puts
            writes += statistics.batches
            syncs += statistics.syncs
            if let more = outcome.latencies {
                if latencies == nil { latencies = more } else { latencies!.add(more) }
            }
        } while nanoseconds < run.nanoseconds && !run.isInterrupted
        return Sample(
            operations: puts, seconds: Double(nanoseconds) / 1e9, latencies: latencies, sharing: (writes, syncs))
    }
}
