internal import Heartwood

/// One task overwrites, `.buffered`, at a rate that doesn't depend on the store's speed, during compactions or without
/// them: how late puts are, and whether they waited for the disk.
enum PutLatency {
    static let rate = 200_000

    static func measure(_ cell: Cell, _ compacting: Compacting) async throws -> Measured {
        let calls = CallLog()
        var configuration = Store.Configuration()
        configuration.compaction = .manual
        configuration.fileSystem = RecordingFileSystem(calls)
        let store = try await Store.open(at: cell.store, configuration: configuration)
        let start = Ticks.now
        let (puts, compactions) = try await compacting.during(store) {
            // A task of its own, as the other workloads have.
            try await Task { try await put(cell, store, start) }.value
        }
        let batches = store.statistics.batches
        // Closes first, because a call is recorded when it has ended.
        try await store.close()
        guard batches == UInt64(puts.count) else {
            throw WrongResult("\(puts.count) puts were made, but the store counted \(batches)")
        }
        let stalls = puts.stalls.all
        var measured = Measured(paced: puts, since: start, bytesEach: cell.data.pairBytes)
        measured.figures[.compactions] = Double(compactions)
        measured.figures[.unexplainedStalls] = Double(stalls.filter { !calls.explains($0) }.count)
        return measured
    }

    private static func put(_ cell: Cell, _ store: Store, _ start: UInt64) async throws -> Pace.Steps {
        let (keys, values) = (cell.data.keys(), cell.data.values)
        var walk = KeyWalk(.random(seed: cell.seed(0)), 0..<keys.count, valueCount: values.count, round: 1)
        var key = keys.makeBuffer()
        return try await Pace(rate: rate, nanoseconds: cell.nanoseconds, since: start).steps {
            walk.advance()
            keys.write(walk.number, to: &key)
            try await store.put(key, values[walk.value], durability: .buffered)
        }
    }
}

extension Measured {
    /// - Parameter paced: Steps at a fixed rate.
    init(paced: Pace.Steps, since start: UInt64, bytesEach: Int) {
        operations = paced.count
        seconds = Ticks.seconds(from: start, to: paced.end)
        bytes = UInt64(paced.count * bytesEach)
        latencies = paced.latencies
        isCorrected = true
        timeline = paced.timeline
        figures[.stalls] = Double(paced.stalls.all.count)
    }
}
