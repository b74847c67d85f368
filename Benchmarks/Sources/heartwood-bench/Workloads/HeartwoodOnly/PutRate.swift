internal import Heartwood

/// One task overwrites, `.buffered`, as fast as possible, during compactions or without them.
enum PutRate {
    static func measure(_ cell: Cell, _ compacting: Compacting) async throws -> Measured {
        var configuration = Store.Configuration()
        configuration.compaction = .manual
        let store = try await Store.open(at: cell.store, configuration: configuration)
        let session = HeartwoodSession(store: store, durability: .buffered)
        let walk = KeyWalk(
            .random(seed: cell.seed(0)), 0..<cell.data.keyCount, valueCount: cell.data.values.count, round: 1)
        let start = Ticks.now
        let (watch, compactions) = try await compacting.during(store) {
            try await Task {
                try await Writing.put(
                    session, walk, cell.data, Stopwatch(deadline: start + cell.nanoseconds, interval: cell.interval))
            }.value
        }
        let batches = store.statistics.batches
        try await store.close()
        guard batches == UInt64(watch.count) else {
            throw WrongResult("\(watch.count) puts were made, but the store counted \(batches)")
        }
        var measured = Measured([watch], since: start, bytesEach: cell.data.pairBytes)
        measured.figures[.compactions] = Double(compactions)
        return measured
    }
}
