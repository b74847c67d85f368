internal import Heartwood

/// Openings of the store that ``Filling`` has left. Each reads the log and builds the index. The store is closed in
/// order before and after each opening.
struct Recovery {
    let context: BenchContext

    func measure() async throws -> Measurement {
        let path = context.directory.path(Filling.storeName)
        let count = context.options.records
        let watch = context.stopwatch()
        var (operations, nanoseconds): (Int, UInt64) = (0, 0)
        repeat {
            let start = Ticks.now
            let store = try await Store.open(at: path, configuration: .forBench())
            nanoseconds += Ticks.now - start
            operations += count
            let (records, keys) = (store.recoveryReport.records, store.statistics.keys)
            try await store.close()
            guard records == UInt64(count), keys == count else {
                throw Mismatch(.recovery, "of \(count) records \(records) came back, with \(keys) keys")
            }
        } while !watch.isOver(Ticks.now)
        try BenchStopped.check()
        try await StoreContents.numbered(count).check(path, context.values, .recovery)
        return Measurement(.recovery, operations, nanoseconds: nanoseconds)
    }
}
