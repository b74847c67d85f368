internal import Heartwood
package import HeartwoodTesting

/// Crashes of one workload. They are derived from the traces of its runs, opened, checked, written to and crashed
/// again.
package final class CrashExploration {
    package struct Totals: Sendable {
        /// Runs of the workload.
        package var runs = 0
        /// Calls in these runs.
        package var calls = 0
        /// Points in these runs at which a crash was tried.
        package var moments = 0
        /// Checked crashes.
        package var crashes = 0
        /// Those of them that happened while a crashed store was opened or written to.
        package var crashesAgain = 0
        /// Openings of crashed stores.
        package var openings = 0
        /// Torn tails.
        package var tornTails = 0
    }

    /// A crash that breaks a promise.
    package struct Failure: Error, CustomStringConvertible {
        package let workload: Workload
        package let seed: UInt64
        package let length: Int
        /// The crash of the run, and the second crash if there was one.
        package let path: [CrashState]
        package let cause: any Error
        /// What the last crash left.
        package let image: DiskImage
        package let expectation: Expectation?
        package let lastCalls: [DiskCall]

        package var description: String { "\(workload), seed \(seed): \(cause)" }
    }

    package let workload: Workload
    package let length: Int
    package private(set) var totals = Totals()
    /// The different images by fingerprint, with whether each was always a mixture.
    package private(set) var images: [UInt64: Bool] = [:]
    private var seed: UInt64 = 0
    /// The crash that is being checked.
    private var path: [CrashState] = []
    private var judging: (crash: Crash, expectation: Expectation)?

    package init(_ workload: Workload, length: Int) {
        self.workload = workload
        self.length = length
    }

    /// Different images so far.
    package var imageCount: Int { images.count }
    /// Those of them in which a part of the pending writes had reached the disk.
    package var mixedCount: Int { images.values.reduce(0) { $1 ? $0 + 1 : $0 } }

    // MARK: - Runs

    /// Runs the workload and checks its crashes.
    ///
    /// - Parameters:
    ///   - states: The maximum number of states for each point of the run.
    ///   - wanted: The number of different images at which it stops.
    /// - Throws: `Failure`.
    package func explore(
        seed: UInt64, states: Int, until wanted: Int = .max, progress: () -> Void = {}
    ) async throws {
        try await run(seed) { trace, timeline in
            totals.runs += 1
            totals.calls += trace.callCount
            var seen: Set<[UInt64]> = []
            var moment = -1
            for crash in trace.crashStates(limit: states, seed: seed) {
                if crash.state.events != moment {
                    moment = crash.state.events
                    totals.moments += 1
                    progress()
                    if images.count >= wanted { return }
                }
                let image = note(crash)
                let expectation = timeline.expectation(
                    after: crash.state.events, keepsAll: image == crash.extremes.nothingLost)
                let (low, high) = (expectation.time.lowerBound, expectation.time.upperBound)
                let isNew = seen.insert(
                    [image, expectation.low, expectation.high, expectation.clock, low, high]
                ).inserted
                guard isNew else { continue }
                try await judge(crash, expectation)
            }
        }
    }

    /// Checks one crash and one second crash, to reproduce a failure.
    package func replay(seed: UInt64, path states: [CrashState]) async throws {
        try await run(seed) { trace, timeline in
            guard let first = states.first else { return }
            let crash = trace.crash(first)
            let expectation = timeline.expectation(
                after: first.events, keepsAll: crash.image.fingerprint() == crash.extremes.nothingLost)
            try await judge(crash, expectation, again: states.dropFirst().first)
        }
    }

    /// Checks a kept image.
    package func judge(_ image: DiskImage, _ expectation: Expectation) async throws {
        _ = try await StoreCheck(image, expectation, seed: 0).run()
    }

    private func run(_ seed: UInt64, _ body: (DiskTrace, Timeline) async throws -> Void) async throws {
        let run = WorkRun(workload, seed: seed, length: length)
        self.seed = seed
        (path, judging) = ([], nil)
        do {
            try await run.run()
            try await body(run.disk.trace, try run.timeline())
        } catch {
            throw Failure(
                workload: workload, seed: seed, length: length, path: path, cause: error,
                image: judging?.crash.image ?? run.disk.image, expectation: judging?.expectation,
                lastCalls: judging?.crash.lastCalls(8) ?? Array(run.disk.trace.calls.suffix(8)))
        }
    }

    private func note(_ crash: Crash) -> UInt64 {
        let image = crash.image.fingerprint()
        let isMixed = image != crash.extremes.everythingLost && image != crash.extremes.nothingLost
        images[image] = (images[image] ?? true) && isMixed
        return image
    }

    // MARK: - Checks

    /// Opens what a crash left, compares, writes, crashes again, and compares again.
    ///
    /// - Parameter again: The only crash of the second run.
    private func judge(_ crash: Crash, _ expectation: Expectation, again: CrashState? = nil) async throws {
        path = [crash.state]
        judging = (crash, expectation)
        totals.crashes += 1
        let check = StoreCheck(crash.image, expectation, seed: crash.image.fingerprint())
        let outcome = try await check.run()
        totals.openings += 1
        if outcome.wasTorn { totals.tornTails += 1 }
        if let again {
            try await judge(outcome.trace.crash(again), outcome.expectation(after: again.events))
            return
        }
        // What was acknowledged after the first crash survives a second one.
        let last = CrashState(events: outcome.trace.events.count, losses: .everything)
        try await judgeAgain(outcome.trace.crash(last), outcome)
        guard SeededRandom.mix(crash.image.fingerprint()) % 40 == 0 else { return }
        for crash in outcome.trace.crashStates(limit: 16, seed: seed) {
            _ = note(crash)
            try await judgeAgain(crash, outcome)
        }
    }

    private func judgeAgain(_ crash: Crash, _ outcome: StoreCheck.Outcome) async throws {
        if path.count > 1 { path.removeLast() }
        path.append(crash.state)
        let expectation = outcome.expectation(after: crash.state.events)
        judging = (crash, expectation)
        totals.crashesAgain += 1
        totals.openings += 1
        _ = try await StoreCheck(crash.image, expectation, seed: crash.image.fingerprint()).run(writes: false)
    }
}
