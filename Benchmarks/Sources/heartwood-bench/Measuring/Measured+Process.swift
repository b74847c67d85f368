internal import Heartwood

extension Measured {
    /// What the process used for it.
    mutating func note(_ now: ProcessUse, since before: ProcessUse) {
        if let peak = now.peakMemoryBytes { figures[.peakMemoryBytes] = Double(peak) }
        if operations > 0 {
            figures[.processorNanosecondsPerOperation] =
                Double(now.processorNanoseconds - before.processorNanoseconds) / Double(operations)
        }
        guard bytes > 0 else { return }
        if let (first, last) = ProcessUse.both(before.writtenBytes, now.writtenBytes) {
            figures[.writeAmplification] = Double(last - first) / Double(bytes)
        }
    }

    /// What Heartwood tells of itself, where it is Heartwood.
    mutating func noteHeartwood<D: Database>(_ database: D) {
        let base = (database as? HeartwoodThreadsDatabase)?.base ?? (database as? HeartwoodDatabase)
        guard let statistics = base?.store.statistics else { return }
        figures[.syncs] = Double(statistics.syncs)
        if statistics.syncs > 0 { figures[.writesPerSync] = Double(statistics.batches) / Double(statistics.syncs) }
        figures[.rotations] = Double(max(1, statistics.rotations) - 1)
        figures[.compactions] = Double(statistics.compaction.completed)
    }
}
