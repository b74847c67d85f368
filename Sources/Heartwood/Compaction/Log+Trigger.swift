internal import HeartwoodFileSystem

extension Log {
    /// How much log there has to be, by what an opening has found, until it is looked whether compaction is due.
    func setFirstCompactionTrigger() {
        let policy = configuration.compaction
        guard policy.isAutomatic else { return }
        // Where there is an interval, something to be compacted is enough to begin waiting.
        let limit = policy.interval == nil ? policy.logLimit(liveBytes: index.statistics.liveBytes) : 1
        let isFull = segments.count + 1 >= max(2, policy.maximumSegments)
        state.withState { $0.compactionTrigger = isFull ? 0 : limit }
    }
}
