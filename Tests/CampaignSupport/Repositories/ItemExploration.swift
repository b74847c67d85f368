internal import Heartwood
internal import HeartwoodFileSystem
package import HeartwoodTesting

/// Crashes of histories of repositories, each opened, judged, maintained, written to, and crashed again.
package final class ItemExploration: HistoryExplorer {
    package struct Totals: HistoryTotals {
        package var runs = 0
        /// Calls of the disk in them.
        package var calls = 0
        /// Runs in which a call of the disk failed.
        package var faults = 0
        /// Writes that were tried.
        package var attempts = 0
        /// Writes that unique indexes have refused.
        package var refusals = 0
        /// Judged crashes.
        package var crashes = 0
        /// Those of them that happened while a crashed store was opened, maintained or written to.
        package var crashesAgain = 0
        /// Judged stores in which maintenance had something to do.
        package var maintained = 0

        package init() {}

        package static func += (sum: inout Totals, other: Totals) {
            sum.runs += other.runs
            sum.calls += other.calls
            sum.faults += other.faults
            sum.attempts += other.attempts
            sum.refusals += other.refusals
            sum.crashes += other.crashes
            sum.crashesAgain += other.crashesAgain
            sum.maintained += other.maintained
        }
    }

    package private(set) var result = HistoryResult<Totals>()
    private var path: [CrashState] = []
    private var judging: (crash: Crash, expectation: ItemExpectation)?

    package init() {}

    package func explore(seed: UInt64, states: Int, progress: (Int) -> Bool) async throws {
        let run = ItemRun(seed: seed)
        (path, judging) = ([], nil)
        do {
            try await run.run()
            let (trace, timeline) = (run.disk.trace, run.timeline())
            result.totals.runs += 1
            result.totals.calls += trace.callCount
            result.totals.attempts += run.attemptCount
            result.totals.refusals += run.refusalCount
            if !run.disk.injected.isEmpty { result.totals.faults += 1 }
            var seen: Set<[UInt64]> = []
            var random = SeededRandom(seed, 25)
            // A share of them, so that there are many histories.
            let share = max(1, trace.callCount / 100)
            for crash in trace.crashStates(limit: states, seed: seed) where random.oneIn(share) {
                let image = crash.image.fingerprint()
                let expectation = timeline.expectation(
                    after: crash.state.events, keepsAll: image == crash.extremes.nothingLost)
                guard seen.insert([image, expectation.fingerprint]).inserted else { continue }
                let before = result.images.count
                path = []
                try await judge(crash, expectation)
                if !progress(result.images.count - before) { return }
            }
        } catch {
            throw HistoryFailure(
                seed: seed, path: path, cause: error, left: judging.map { ($0.crash.image, $0.expectation) },
                lastCalls: judging?.crash.lastCalls(8) ?? Array(run.disk.trace.calls.suffix(8)))
        }
    }

    package func judge(_ image: DiskImage, _ expectation: ItemExpectation) async throws {
        var check = ItemCheck(image, expectation)
        _ = try await check.run()
    }

    private func judge(_ crash: Crash, _ expectation: ItemExpectation) async throws {
        path.append(crash.state)
        judging = (crash, expectation)
        let image = crash.image.fingerprint()
        result.images.insert(image)
        result.totals.crashes += 1
        if path.count > 1 { result.totals.crashesAgain += 1 }
        var check = ItemCheck(crash.image, expectation)
        let outcome = try await check.run()
        if outcome.wasMaintained { result.totals.maintained += 1 }
        var random = SeededRandom(image, 24, UInt64(path.count))
        // One in three is interrupted once more, at any moment. A few are interrupted at every moment.
        if path.count == 1, random.oneIn(400) {
            for again in outcome.trace.crashStates(limit: 3, seed: image) { try await judgeAgain(again, outcome) }
        } else if path.count < 6, random.oneIn(3) {
            let events = random.number(in: 0...outcome.trace.events.count)
            let state = CrashState(events: events, losses: .drawn(random.next() >> 24))
            try await judgeAgain(outcome.trace.crash(state), outcome)
        }
        path.removeLast()
    }

    private func judgeAgain(_ crash: Crash, _ outcome: ItemCheck.Outcome) async throws {
        let keepsAll = crash.image.fingerprint() == crash.extremes.nothingLost
        try await judge(crash, outcome.timeline.expectation(after: crash.state.events, keepsAll: keepsAll))
    }
}
