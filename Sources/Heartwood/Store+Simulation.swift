internal import HeartwoodConcurrency

/// Functions with which simulations run the same way each time.
extension Store {
    /// Waits until the log writer has nothing to do at the current time of its clock, or has ended. Blocks.
    package func settle() {
        spin {
            log.withState { $0.writerSleepsUntil != nil || $0.life.phase == .ended }
        }
    }

    /// Moves the clock of the log writer's delays, and waits until the log writer has done what is due by then.
    package func moveDelays(_ delays: ManualDelays, by nanoseconds: UInt64) {
        settle()
        delays.move(by: nanoseconds)
        log.withState { log.wakeWriter(&$0, deadline: 0) }
        settle()
    }

    /// Makes the compactor check whether replaced files can be deleted, and waits until it has nothing to do. Blocks.
    package func settleCompaction() {
        let compaction = log.compaction
        let hasThread = compaction.state.withLock { held in
            held.state.isPoked = true
            held.broadcast()
            return held.state.hasThread
        }
        guard hasThread else { return }
        spin { compaction.state.withState { $0.isAsleep && !$0.isPoked } }
    }

    /// Returns whether a task waits: for space, for its write to be done, or for the close. Doesn't keep the store
    /// alive.
    package var hasWaiters: @Sendable () -> Bool {
        let log = log
        return {
            log.visibleGate.waiterCount > 0 || log.syncedGate.waiterCount > 0
                || log.withState { $0.space.hasWaiters || $0.life.hasClosers }
        }
    }

    /// Returns the sequence number up to which readers see writes when it is called. Doesn't keep the store alive.
    package var readableNow: @Sendable () -> SequenceNumber {
        let index = image.index
        return { index.visibleSequence }
    }

    /// The changes after a sequence number that a feed would deliver now. Blocks, and keeps all in memory.
    package func durableChanges(after sequence: SequenceNumber) throws(StoreError) -> [Change] {
        let source = try LogSource(log, .durable)
        let limit = try source.readable().sequence
        var reader = ChangeReader(
            source.directory, after: sequence, in: .all, maximumValueBytes: source.maximumValueBytes)
        var changes: [Change] = []
        var hasMore = true
        while hasMore {
            var page = ChangePage()
            hasMore = try reader.read(upTo: limit, into: &page)
            changes += page.changes.compactMap { $0 }
        }
        return changes
    }
}
