internal import HeartwoodConcurrency
internal import HeartwoodFormat
internal import Synchronization

/// The log of a store that is open in this process, as feeds follow it: the log writer wakes them.
final class LogSource: ChangeSource {
    let directory: LogDirectory
    private let log: Log
    private let level: ChangeLevel
    /// The last number that was given, or passed over, before the first write of this opening.
    private let opened: SequenceNumber
    /// When the feed was woken last, in nanoseconds; each iterator of the same changes moves it.
    private let woken = Atomic<UInt64>(0)

    /// The least time between two wake-ups of a feed, in nanoseconds. A wake-up costs the process about 100 µs, and
    /// with 64 tasks there are 25,000 syncs a second. A visible feed loses no time by it: a commit that came meanwhile
    /// is written as soon as the feed waits again.
    private var pace: UInt64 { level == .visible ? 400_000 : 2_000_000 }

    /// - Throws: `.closed`, `.tooManyFiles`.
    init(_ log: Log, _ level: ChangeLevel) throws(StoreError) {
        (self.log, self.level, opened) = (log, level, log.openedAt)
        directory = try LogDirectory(following: log.image)
    }

    var maximumValueBytes: Int { log.image.maximumValueBytes }

    func readable() throws(StoreError) -> ReadableChanges {
        let (sequence, end) = log.readable(level)
        return ReadableChanges(sequence: sequence, isInFiles: sequence > opened, end: end)
    }

    nonisolated(nonsending) func wait(after readable: ReadableChanges, by feed: ObjectIdentifier) async {
        let elapsed = monotonicNanoseconds() &- woken.load(ordering: .relaxed)
        // A cancelled task returns at once, also below.
        if elapsed < pace { try? await Task.sleep(nanoseconds: pace - elapsed) }
        await log.waitForChange(after: readable.sequence, level, by: feed)
        woken.store(monotonicNanoseconds(), ordering: .relaxed)
    }

    func noteConsumed(_ sequence: SequenceNumber?, by feed: ObjectIdentifier) {
        log.feeds.withLock { $0[feed] = sequence }
    }
}

extension LogDirectory {
    /// Throws unless a position is one of this store.
    ///
    /// - Parameter here: The position from which to start instead.
    func check(_ position: ChangePosition, here: ChangePosition) throws(StoreError) {
        guard position.store != storeID else { return }
        throw refusal(
            "the position is of another store, \(position.store), and this one is \(storeID)", here)
    }

    /// The error for a position after the newest write.
    func tooNew(newest: ChangePosition) -> StoreError {
        refusal(
            "the position is after the newest write of the store, number \(newest.sequence), as after a restored "
                + "backup", newest)
    }

    private func refusal(_ what: String, _ restart: ChangePosition) -> StoreError {
        StoreError(
            .positionUnavailable, what + ": read the store's present contents, and follow from their position",
            file: path, restart: restart)
    }
}

/// Following the log within the process.
nonisolated extension Log {
    /// How far feeds may read now, and whether nothing will follow.
    fileprivate func readable(_ level: ChangeLevel) -> (sequence: SequenceNumber, end: ReadableChanges.End?) {
        withState { state in
            let pipeline = state.commits.pipeline
            let sequence = level == .visible ? pipeline.readable : pipeline.syncedSequence
            if let failure = state.life.failure { return (sequence, .failed(failure)) }
            return (sequence, state.life.phase == .ended ? .closed : nil)
        }
    }

    /// Waits until there may be a readable write after a sequence number, the log has ended, or the task is cancelled.
    ///
    /// - Parameter id: Identifies the feed, which waits once at a time.
    nonisolated(nonsending) func waitForChange(
        after sequence: SequenceNumber, _ level: ChangeLevel, by id: ObjectIdentifier
    ) async {
        await withTaskCancellationHandler {
            await Sleeper.suspend { sleeper in
                follow(LogFollowers.Waiter(id: id, level: level, after: sequence, sleeper: sleeper))
            }
        } onCancel: {
            cancelFollowing(id)
        }
    }

    private func follow(_ waiter: LogFollowers.Waiter) {
        let ready = withState { state -> [Sleeper<Void>] in
            if state.life.failure != nil || state.life.phase == .ended { return [waiter.sleeper] }
            state.followers.add(waiter)
            let ready = state.takeReadyFollowers()
            if state.commits.pipeline.followedFrom != nil, let open = state.commits.pipeline.open {
                wakeWriter(&state, deadline: state.commits.pipeline.writeDue(acceptedAt: open.acceptedAt))
            }
            return ready
        }
        for follower in ready { follower.resume(returning: ()) }
        // If the task was cancelled before the waiter was added, `onCancel` did not find it.
        if Task.isCancelled { cancelFollowing(waiter.id) }
    }

    private func cancelFollowing(_ id: ObjectIdentifier) {
        let follower = withState { $0.removeFollower(id) }
        follower?.resume(returning: ())
    }
}
