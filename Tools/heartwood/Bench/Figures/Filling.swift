internal import Heartwood

/// One task writes every record once, in random order, to an empty store, again and again until the time is over. The
/// store of the last round stays, for the figures that read it. Making, closing and checking stores isn't timed, but
/// counts as time that the figure takes.
struct Filling {
    static let storeName = "filled"

    let context: BenchContext
    let figure: BenchFigure

    func measure() async throws -> Measurement {
        let watch = context.stopwatch()
        let path = context.directory.path(Self.storeName)
        let count = context.options.records
        var (operations, nanoseconds): (Int, UInt64) = (0, 0)
        repeat {
            try context.directory.remove(Self.storeName)
            nanoseconds += try await Store.withStore(at: path, configuration: .forBench()) { store in
                let start = Ticks.now
                try await fill(store)
                return Ticks.now - start
            }
            operations += count
            try await StoreContents.numbered(count).check(path, context.values, figure)
        } while !watch.isOver(Ticks.now)
        try BenchStopped.check()
        return Measurement(figure, operations, nanoseconds: nanoseconds)
    }

    private func fill(_ store: Store) async throws {
        if case .fillrandom(let level) = figure {
            try await put(store, level.durability)
        } else {
            try await putBatches(store)
        }
    }

    private func put(_ store: Store, _ durability: Durability) async throws {
        for number in 0..<context.options.records {
            try await store.put(BenchKey(number), context.values[number], durability: durability)
            if number % 256 == 0 { try BenchStopped.check() }
        }
    }

    private func putBatches(_ store: Store) async throws {
        let (count, values) = (context.options.records, context.values)
        for start in stride(from: 0, to: count, by: BenchPlan.batchRecords) {
            let end = min(count, start + BenchPlan.batchRecords)
            try await store.write(durability: .buffered) { batch in
                batch.reserveCapacity((end - start) * (BenchKey.byteCount + values.byteCount + 40))
                for number in start..<end { batch.put(BenchKey(number), values[number]) }
            }
            try BenchStopped.check()
        }
    }
}
