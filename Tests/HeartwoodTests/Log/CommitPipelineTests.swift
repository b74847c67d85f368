import Testing

@testable import Heartwood

/// The pipeline is a value without I/O, so the tests can try all short histories.
@Suite struct CommitPipelineTests {
    /// A step of a test. At `writeLog` the log writer continues until it begins a sync, or ends the sync that it began.
    private enum Event: CaseIterable { case buffered, written, synced, requestSync, writeLog, time, follow }

    /// An accepted write, in the model.
    private struct Accepted {
        var sequence: SequenceNumber
        var level: Durability.Level
        var isWritten = false
        var isSynced = false
        var isDone: Bool {
            switch level {
            case .buffered: true
            case .written: isWritten
            case .synced: isSynced
            }
        }
    }

    /// A pipeline, and a model with the state of each write.
    private struct History {
        var pipeline = CommitPipeline(lastSequence: 10)
        let isMapped: Bool
        var writes: [Accepted] = []
        var now: UInt64 = 1_000
        /// The last write that the sync in progress makes durable.
        var syncing: SequenceNumber?

        mutating func apply(_ event: Event) {
            switch event {
            case .buffered: accept(.buffered)
            case .written: accept(.written)
            case .synced: accept(.synced)
            case .requestSync: pipeline.requestSync()
            case .writeLog: writeLog()
            case .follow: pipeline.followedFrom = min(pipeline.followedFrom ?? .max, pipeline.readable)
            case .time: now += 10_000_000
            }
            check()
        }

        private mutating func accept(_ level: Durability.Level) {
            let seals = isMapped && level == .written && pipeline.awaitsNoWrite && pipeline.isSealedWritten
            let (sequence, isVisible) = pipeline.accept(seals ? .buffered : level, now: now)
            if sequence != 11 + UInt64(writes.count) { Issue.record("numbers are dense") }
            writes.append(Accepted(sequence: sequence, level: level))
            if seals { sealInPlace() }
            let expected = writes.allSatisfy(\.isDone)
            if isVisible != expected { Issue.record("visible at once: \(isVisible), should be \(expected)") }
        }

        private mutating func sealInPlace() {
            let first = writes.first { !$0.isWritten }!.sequence
            if pipeline.sealInPlace() != first { Issue.record("a commit doesn't continue the one before") }
            mark(through: pipeline.lastSequence, synced: false)
        }

        /// The log writer's step, with checks of the visible writes in between.
        private mutating func writeLog() {
            if let syncing {
                pipeline.synced(now: now)
                mark(through: syncing, synced: true)
                self.syncing = nil
                return
            }
            switch pipeline.work(now: now) {
            case .commit(let sync):
                if isMapped {
                    sealInPlace()
                } else {
                    let content = pipeline.seal()
                    if content.first != writes.first(where: { !$0.isWritten })?.sequence {
                        Issue.record("a commit doesn't continue the one before")
                    }
                    check()
                    pipeline.written()
                    mark(through: content.last, synced: false)
                    check()
                }
                if sync { beginSync() }
            case .sync: beginSync()
            case .mark: pipeline.marked()
            case .wakeFollowers:
                if pipeline.readable <= pipeline.followedFrom ?? .max { Issue.record("a feed is woken for nothing") }
                pipeline.followedFrom = nil
                writeLog()
            case .sleep: break
            }
        }

        private mutating func beginSync() {
            check()
            pipeline.beginSync()
            syncing = writes.last { $0.isWritten }?.sequence ?? 10
        }

        private mutating func mark(through sequence: SequenceNumber, synced: Bool) {
            for index in writes.indices where writes[index].sequence <= sequence {
                writes[index].isWritten = true
                if synced { writes[index].isSynced = true }
            }
        }

        func check() {
            let firstWaiting = writes.first { !$0.isDone }?.sequence
            let expected = (firstWaiting ?? pipeline.lastSequence + 1) - 1
            // A mapped log may show synced writes later: at the latest together with the next synced write.
            let synced = writes.last { $0.isSynced }?.sequence ?? 10
            let isSeenLater = isMapped && pipeline.visible < expected && pipeline.open?.firstSynced != nil
            if pipeline.visible != expected, !isSeenLater {
                Issue.record("visible \(pipeline.visible), should be \(expected)")
            }
            let written = writes.last { $0.isWritten }?.sequence ?? 10
            if pipeline.readable != min(pipeline.visible, written) {
                Issue.record("readable \(pipeline.readable) of visible \(pipeline.visible), written \(written)")
            }
            if pipeline.syncedSequence != synced { Issue.record("synced \(pipeline.syncedSequence), not \(synced)") }
        }

        /// Lets the log writer sync everything and make it visible.
        mutating func finish() {
            pipeline.requestSync()
            for _ in 0..<4 { writeLog() }
            check()
            if pipeline.syncedSequence != pipeline.lastSequence || pipeline.visible != pipeline.lastSequence {
                let (synced, visible) = (pipeline.syncedSequence, pipeline.visible)
                Issue.record("synced \(synced), visible \(visible) of \(pipeline.lastSequence)")
            }
            if let from = pipeline.followedFrom, from < pipeline.readable {
                Issue.record("a feed sleeps at \(from), and \(pipeline.readable) is readable")
            }
        }
    }

    /// Every history of seven events from a new pipeline, without and with feeds that wait. After each event, the
    /// visible writes are exactly the prefix of writes that have reached their durability.
    @Test(arguments: [false, true], [false, true])
    func visibilityFollowsDurabilityInEveryShortHistory(isMapped: Bool, isFollowed: Bool) {
        var histories = 0
        let events = Event.allCases.filter { isFollowed || $0 != .follow }
        // With feeds, one event less, to take as long.
        let depth = isFollowed ? 6 : 7
        func walk(_ before: History, depth: Int) {
            histories += 1
            var end = before
            end.finish()
            guard depth > 0 else { return }
            for event in events {
                var next = before
                next.apply(event)
                walk(next, depth: depth - 1)
            }
        }
        walk(History(isMapped: isMapped), depth: depth)
        let expected = (0...depth).reduce(0) { sum, n in
            sum + (0..<n).reduce(1) { product, _ in product * events.count }
        }
        #expect(histories == expected)
    }

    /// Without further calls, an accepted write is written within 10 ms, synced within a second, and then covered by a
    /// sync mark.
    @Test func delaysAreKept() throws {
        var pipeline = CommitPipeline(lastSequence: 0)
        let start: UInt64 = 5
        _ = pipeline.accept(.buffered, now: start)
        let until = try #require(pipeline.work(now: start).end, "sleeps first")
        #expect(until - start <= 10_000_000)
        #expect(pipeline.work(now: until) == .commit(sync: false))
        _ = pipeline.seal()
        pipeline.written()
        let syncAt = try #require(pipeline.work(now: until).end, "then waits to sync")
        #expect(syncAt - start <= 1_000_000_000)
        #expect(pipeline.work(now: syncAt) == .sync)
        pipeline.beginSync()
        pipeline.synced(now: syncAt)
        let markAt = try #require(pipeline.work(now: syncAt).end, "then waits to write a mark")
        #expect(markAt - syncAt == 50_000_000)
        #expect(pipeline.work(now: markAt) == .mark)
        pipeline.marked()
        #expect(pipeline.work(now: markAt) == .sleep(until: nil))
    }

    /// While a feed waits, a buffered write is written within half a millisecond, and then the feed is woken.
    @Test func aWaitingFeedIsWokenSoon() throws {
        var pipeline = CommitPipeline(lastSequence: 0)
        pipeline.followedFrom = 0
        #expect(pipeline.work(now: 5) == .sleep(until: nil))
        _ = pipeline.accept(.buffered, now: 5)
        let until = try #require(pipeline.work(now: 5).end, "sleeps first")
        #expect(until - 5 <= 500_000)
        #expect(pipeline.work(now: until) == .commit(sync: false))
        _ = pipeline.seal()
        #expect(!pipeline.hasReadyFollower)
        pipeline.written()
        #expect(pipeline.work(now: until) == .wakeFollowers)
    }

    /// The end of a delay of `.max` must not overflow.
    @Test func anInfiniteDelayNeverEnds() {
        var pipeline = CommitPipeline(lastSequence: 0, timing: .never)
        _ = pipeline.accept(.buffered, now: 7)
        #expect(pipeline.work(now: 1_000_000_000) == .sleep(until: .max))
        pipeline.requestWrite()
        #expect(pipeline.work(now: 8) == .commit(sync: false))
        _ = pipeline.seal()
        pipeline.written()
        #expect(pipeline.work(now: 1_000_000_000) == .sleep(until: .max))
        pipeline.requestSync()
        #expect(pipeline.work(now: 9) == .sync)
        pipeline.beginSync()
        pipeline.synced(now: 9)
        #expect(pipeline.work(now: 1_000_000_000) == .sleep(until: .max))
    }

    /// A steady stream of buffered writes must not delay the background sync forever.
    @Test func continuousBufferedWritesAreSynced() {
        var pipeline = CommitPipeline(lastSequence: 0)
        var now: UInt64 = 1
        var lastSync = now
        for _ in 0..<10_000 {
            _ = pipeline.accept(.buffered, now: now)
            now += 1_000_000
            if case .commit(let sync) = pipeline.work(now: now) {
                _ = pipeline.seal()
                pipeline.written()
                if sync {
                    pipeline.beginSync()
                    pipeline.synced(now: now)
                    lastSync = now
                }
            }
            #expect(now - lastSync <= 1_000_000_000)
        }
    }
}

extension CommitPipeline.Work {
    /// The end of a sleep.
    fileprivate var end: UInt64? {
        if case .sleep(let until) = self { until } else { nil }
    }
}

extension LogTiming {
    /// The log writer does nothing by time.
    static var never: Self {
        var timing = Self()
        (timing.write, timing.sync, timing.mark) = (.max, .max, .max)
        return timing
    }
}
