internal import Heartwood

extension Measured {
    /// Adds what the process has used for the work.
    ///
    /// - Parameter mapped: Bytes written through a mapping, which the system doesn't count; nil if they aren't known.
    mutating func note(_ now: ProcessUse, since before: ProcessUse, mapped: UInt64? = 0) {
        if let peak = now.peakMemoryBytes { figures[.peakMemoryBytes] = Double(peak) }
        if operations > 0 {
            figures[.processorNanosecondsPerOperation] =
                Double(now.processorNanoseconds - before.processorNanoseconds) / Double(operations)
        }
        guard bytes > 0, let mapped else { return }
        if let (first, last) = ProcessUse.both(before.writtenBytes, now.writtenBytes) {
            figures[.writeAmplification] = Double(last - first + mapped) / Double(bytes)
        }
    }

    /// Adds Heartwood's own statistics, if the database is Heartwood's.
    mutating func noteHeartwood<D: Database>(_ database: D) {
        let base = (database as? HeartwoodThreadsDatabase)?.base ?? (database as? HeartwoodDatabase)
        guard let statistics = base?.store.statistics else { return }
        figures[.syncs] = Double(statistics.syncs)
        if statistics.syncs > 0 { figures[.writesPerSync] = Double(statistics.batches) / Double(statistics.syncs) }
        figures[.rotations] = Double(max(1, statistics.rotations) - 1)
        figures[.compactions] = Double(statistics.compaction.completed)
    }
}
