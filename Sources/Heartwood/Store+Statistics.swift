internal import HeartwoodConcurrency

extension Store {
    /// The contents and the activity of the store. O(1).
    public var statistics: Statistics {
        let index = image.index.statistics
        let log = log
        let (compaction, pinnedFiles) = log.compaction.state.withState { ($0.statistics, $0.pinnedFiles) }
        let retained = log.compaction.retained.withLock { $0.reduce(0) { $0 + $1.bytes } }
        let holds = log.compaction.holds.withLock { $0.count }
        let timeAhead = image.timeAhead
        let (feeds, slowest) = log.feeds.withLock { ($0.count, $0.values.min()) }
        return log.withState { state in
            Statistics(
                state: state.publicState,
                recovery: recoveryReport,
                keys: index.keys,
                versions: index.versions,
                indexBytes: index.bytes,
                liveBytes: index.liveBytes,
                logBytes: state.logBytes,
                snapshotBytes: compaction.snapshot?.bytes ?? 0,
                segments: image.segments.count,
                pinnedFiles: pinnedFiles,
                retainedLogBytes: retained,
                logHolds: holds,
                feeds: feeds,
                feedLag: slowest.map { lag(of: $0, behind: state.commits.pipeline.visible) } ?? 0,
                pinnedStates: index.readPoints,
                lastSequence: state.commits.pipeline.lastSequence,
                visibleSequence: state.commits.pipeline.visible,
                syncedSequence: state.commits.pipeline.syncedSequence,
                batches: state.counters.batches,
                records: state.counters.records,
                acceptedBytes: state.counters.acceptedBytes,
                commits: state.counters.commits,
                writtenBytes: state.counters.writtenBytes,
                syncs: state.counters.syncs,
                rotations: state.counters.rotations,
                roomWaits: .nanoseconds(state.counters.waitedForRoom),
                throttling: .nanoseconds(state.counters.throttled),
                timeAhead: timeAhead,
                logWriting: state.commits.logWriting,
                compaction: compaction)
        }
    }

    /// Numbers jump at an opening, so only those of this one are counted.
    private func lag(of sequence: SequenceNumber, behind visible: SequenceNumber) -> UInt64 {
        visible - min(visible, max(sequence, log.openedAt))
    }
}
