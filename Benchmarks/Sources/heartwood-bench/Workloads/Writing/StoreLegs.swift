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
        /// Compactions that were done meanwhile, where that matters.
        var compactions: Int?
    }

    private var puts = 0
    private var nanoseconds: UInt64 = 0
    private var latencies: Latencies?
    private var writes: UInt64 = 0
    private var syncs: UInt64 = 0
    private var rotations: UInt64 = 0
    private var compactions: Int?

    /// Calls `body` until the time of the run is over.
    ///
    /// - Parameters:
    ///   - makePath: Where the next store is, filled or not there yet; it is deleted afterwards.
    ///   - configuration: What it is opened with.
    static func measure(
        _ run: Run, startingFrom makePath: (() async throws -> String)? = nil,
        configuration: Store.Configuration = Engine.configuration(),
        _ body: (Leg) async throws -> Outcome
    ) async throws -> Sample {
        var legs = StoreLegs()
        repeat {
            let path = try await makePath?() ?? run.directory.freshPath("store")
            try await legs.measureOne(run, at: path, configuration, body)
            try run.directory.remove(path)
        } while legs.nanoseconds < run.nanoseconds && !run.isInterrupted
        var sample = Sample(
            operations: legs.puts, seconds: Double(legs.nanoseconds) / 1e9, latencies: legs.latencies,
            sharing: (legs.writes, legs.syncs), rotations: legs.rotations)
        sample.figures[.compactions] = legs.compactions.map { Double($0) }
        return sample
    }

    private mutating func measureOne(
        _ run: Run, at path: String, _ configuration: Store.Configuration, _ body: (Leg) async throws -> Outcome
    ) async throws {
        let store = try await Store.open(at: path, configuration: configuration)
        let start = Ticks.now
        let leg = Leg(run: run, store: store, deadline: start + run.nanoseconds - nanoseconds, done: puts)
        let outcome = try await body(leg)
        nanoseconds += Ticks.now - start
        let statistics = store.statistics
        try await store.close()
        guard statistics.batches == UInt64(outcome.writes), statistics.records == UInt64(outcome.puts) else {
            throw WrongResult(
                "\(outcome.puts) puts in \(outcome.writes) writes were made, the store counted "
                    + "\(statistics.records) in \(statistics.batches)")
        }
        puts += outcome.puts
        writes += statistics.batches
        syncs += statistics.syncs
        if let more = outcome.compactions { compactions = (compactions ?? 0) + more }
        // The first segment of a store isn't a turn to another one.
        rotations += max(1, statistics.rotations) - 1
        if let more = outcome.latencies {
            if latencies == nil { latencies = more } else { latencies!.add(more) }
        }
    }
}
