internal import HeartwoodFileSystem

/// What the log's own thread knows of compaction.
nonisolated extension Log {
    /// How much log there has to be, by what an opening has found, until it is looked whether compaction is due.
    func setFirstCompactionTrigger() {
        var facts = compactionFacts
        // The one that the first write begins.
        facts.segments += 1
        let now = delays.now()
        let decision = compaction.state.withState { $0.schedule.look(facts, now: now) }
        let trigger =
            switch decision {
            case .now, .later(time: .some, logBytes: _): 0 as UInt64
            case .later(time: nil, let logBytes): logBytes
            }
        withState { $0.uncovered.trigger = trigger }
    }

    /// How long the log writer is to pause after a commit; 0 but in need. Only while a compaction runs, for nothing else
    /// makes the log shorter.
    func compactionPause(written: UInt64, elapsed: UInt64) -> UInt64 {
        let logBytes = withState { $0.logBytes }
        guard logBytes / 3 > configuration.compaction.minimumLogBytes, case .system = delays else { return 0 }
        let (isRunning, rate) = compaction.state.withState { ($0.isRunning, $0.bytesPerSecond) }
        guard isRunning else { return 0 }
        return CompactionBrake.pause(
            logBytes: logBytes, limit: compactionLimit, written: written, elapsed: elapsed, rate: rate)
    }

    /// Whether compaction gives way to those who write, where they compete for the index: until the log has outgrown the
    /// size at which it is compacted by half.
    var compactionGivesWay: Bool {
        let logBytes = withState { $0.logBytes }
        return logBytes / 5 < compactionLimit / 4
    }

    private var compactionLimit: UInt64 {
        configuration.compaction.logLimit(liveBytes: index.liveBytes)
    }
}
