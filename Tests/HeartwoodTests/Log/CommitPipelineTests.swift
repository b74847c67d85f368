import Testing

@testable import Heartwood

/// The pipeline is a value without I/O, so all its short histories can be walked through.
@Suite struct CommitPipelineTests {
    /// What a test does to a pipeline.
    private enum Event: CaseIterable { case buffered, written, synced, requestSync, write, time }

    /// What was accepted, as the model knows it.
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

    /// Every history of seven events, from a fresh pipeline: after each event, visibility is exactly the prefix of
    /// writes that have what they were promised.
    @Test func visibilityFollowsDurabilityInEveryShortHistory() {
        var histories = 0
        walk(CommitPipeline(lastSequence: 10), [], now: 1_000, depth: 7, &histories)
        #expect(histories == (0...7).reduce(0) { sum, n in sum + Int(powInt(6, n)) })
    }

    private func powInt(_ base: Int, _ exponent: Int) -> Int { (0..<exponent).reduce(1) { n, _ in n * base } }

    private func walk(
        _ pipeline: CommitPipeline, _ accepted: [Accepted], now: UInt64, depth: Int, _ histories: inout Int
    ) {
        histories += 1
        check(pipeline, accepted)
        guard depth > 0 else { return }
        for event in Event.allCases {
            var next = pipeline
            var writes = accepted
            var time = now
            apply(event, to: &next, &writes, &time)
            walk(next, writes, now: time, depth: depth - 1, &histories)
        }
    }

    private func apply(
        _ event: Event, to pipeline: inout CommitPipeline, _ writes: inout [Accepted], _ now: inout UInt64
    ) {
        switch event {
        case .buffered: accept(.buffered, &pipeline, &writes, now)
        case .written: accept(.written, &pipeline, &writes, now)
        case .synced: accept(.synced, &pipeline, &writes, now)
        case .requestSync: pipeline.requestSync()
        case .write: work(&pipeline, &writes, now)
        case .time: now += 10_000_000
        }
    }

    private func accept(
        _ level: Durability.Level, _ pipeline: inout CommitPipeline, _ writes: inout [Accepted], _ now: UInt64
    ) {
        let (sequence, isVisible) = pipeline.accept(level, now: now)
        if sequence != 11 + UInt64(writes.count) { Issue.record("numbers are dense") }
        writes.append(Accepted(sequence: sequence, level: level))
        let expected = writes.allSatisfy(\.isDone)
        if isVisible != expected { Issue.record("visible at once: \(isVisible), should be \(expected)") }
    }

    /// One turn of the log writer, with the visibility checked between its steps.
    private func work(_ pipeline: inout CommitPipeline, _ writes: inout [Accepted], _ now: UInt64) {
        switch pipeline.work(now: now) {
        case .commit(let sync):
            let content = pipeline.seal()
            check(pipeline, writes)
            pipeline.written()
            mark(&writes, through: content.last, synced: false)
            check(pipeline, writes)
            if sync || content.firstSynced != nil {
                pipeline.synced(now: now)
                mark(&writes, through: content.last, synced: true)
            } else {
                pipeline.finishWithoutSync()
            }
        case .sync:
            pipeline.synced(now: now)
            mark(&writes, through: pipeline.writtenSequence, synced: true)
        case .mark:
            pipeline.marked()
        case .sleep:
            break
        }
        check(pipeline, writes)
    }

    private func mark(_ writes: inout [Accepted], through sequence: SequenceNumber, synced: Bool) {
        for index in writes.indices where writes[index].sequence <= sequence {
            writes[index].isWritten = true
            if synced { writes[index].isSynced = true }
        }
    }

    private func check(_ pipeline: CommitPipeline, _ writes: [Accepted]) {
        let firstWaiting = writes.first { !$0.isDone }?.sequence
        let expected = (firstWaiting ?? pipeline.lastSequence + 1) - 1
        if pipeline.visible != expected { Issue.record("visible \(pipeline.visible), should be \(expected)") }
        let synced = writes.last { $0.isSynced }?.sequence ?? 10
        if pipeline.syncedSequence != synced { Issue.record("synced \(pipeline.syncedSequence), not \(synced)") }
    }

    /// Whatever was accepted, the writer's own clockwork brings it to the disk: written within 10 ms, synced within a
    /// second, and then covered by a mark.
    @Test func theClockworkKeepsItsPromises() {
        var pipeline = CommitPipeline(lastSequence: 0)
        let start: UInt64 = 5
        _ = pipeline.accept(.buffered, now: start)
        guard case .sleep(let until?) = pipeline.work(now: start) else {
            Issue.record("sleeps first")
            return
        }
        #expect(until - start <= 10_000_000)
        #expect(pipeline.work(now: until) == .commit(sync: false))
        _ = pipeline.seal()
        pipeline.written()
        pipeline.finishWithoutSync()
        guard case .sleep(let syncAt?) = pipeline.work(now: until) else {
            Issue.record("then waits to sync")
            return
        }
        #expect(syncAt - start <= 1_000_000_000)
        #expect(pipeline.work(now: syncAt) == .sync)
        pipeline.synced(now: syncAt)
        guard case .sleep(let markAt?) = pipeline.work(now: syncAt) else {
            Issue.record("then to mark")
            return
        }
        #expect(markAt - syncAt == 50_000_000)
        #expect(pipeline.work(now: markAt) == .mark)
        pipeline.marked()
        #expect(pipeline.work(now: markAt) == .sleep(until: nil))
    }

    /// A caller may write the open commit itself only where nobody in it waits for the disk, whatever came in which order.
    @Test func aCommitThatIsToBeSyncedIsNoCallers() {
        let levels: [Durability.Level] = [.buffered, .written, .synced]
        for first in levels {
            for second in levels {
                for third in levels {
                    var pipeline = CommitPipeline(lastSequence: 0)
                    #expect(!pipeline.needsNoSync, "there is nothing to write")
                    for (count, level) in [first, second, third].enumerated() {
                        _ = pipeline.accept(level, now: 1)
                        let accepted = [first, second, third].prefix(count + 1)
                        #expect(pipeline.needsNoSync == !accepted.contains(.synced), "\(accepted)")
                    }
                    pipeline.requestSync()
                    #expect(!pipeline.needsNoSync, "somebody asked for everything to be synced")
                    _ = pipeline.seal()
                    _ = pipeline.accept(.written, now: 1)
                    #expect(!pipeline.needsNoSync, "one at a time")
                    pipeline.written()
                    pipeline.synced(now: 2)
                    #expect(pipeline.needsNoSync)
                }
            }
        }
    }

    /// The time at which a delay of `.max` would be over came round to the one before it began.
    @Test func aDelayWithoutEndIsNeverOver() {
        var timing = CommitPipeline.Timing()
        timing.write = .max
        timing.sync = .max
        timing.mark = .max
        var pipeline = CommitPipeline(lastSequence: 0, timing: timing)
        _ = pipeline.accept(.buffered, now: 7)
        #expect(pipeline.work(now: 1_000_000_000) == .sleep(until: .max))
        pipeline.requestWrite()
        #expect(pipeline.work(now: 8) == .commit(sync: false))
        _ = pipeline.seal()
        pipeline.written()
        pipeline.finishWithoutSync()
        #expect(pipeline.work(now: 1_000_000_000) == .sleep(until: .max))
        pipeline.requestSync()
        #expect(pipeline.work(now: 9) == .sync)
        pipeline.synced(now: 9)
        #expect(pipeline.work(now: 1_000_000_000) == .sleep(until: .max))
    }

    /// A steady stream of buffered writes must not put the background sync off for ever.
    @Test func buffersThatNeverRestAreSyncedAllTheSame() {
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
                    pipeline.synced(now: now)
                    lastSync = now
                } else {
                    pipeline.finishWithoutSync()
                }
            }
            #expect(now - lastSync <= 1_000_000_000)
        }
    }
}
