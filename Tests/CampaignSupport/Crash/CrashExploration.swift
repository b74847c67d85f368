internal import Heartwood
package import HeartwoodTesting

/// Crashes of one workload: derived from the traces of its runs, opened, judged, written to and crashed again.
package final class CrashExploration {
    /// What was done.
    package struct Totals: Sendable {
        /// Runs of the workload.
        package var runs = 0
        /// Calls of those runs.
        package var calls = 0
        /// Moments at which a crash was tried.
        package var moments = 0
        /// Crashes that were judged.
        package var crashes = 0
        /// Of them, while a crashed store was being opened or written to again.
        package var crashesAgain = 0
        /// Stores that were opened for it.
        package var openings = 0
        /// Tails that were torn.
        package var tornTails = 0
    }

    /// A crash whose outcome breaks a promise.
    package struct Failure: Error, CustomStringConvertible {
        package let workload: Workload
        package let seed: UInt64
        package let length: Int
        /// The crash of the run, and the crash upon it, if there was one.
        package let path: [CrashState]
        package let cause: any Error
        /// What the last crash left, and what should have been found.
        package let image: DiskImage
        package let expectation: Expectation?
        package let lastCalls: [DiskCall]

        package var description: String { "\(workload), seed \(seed): \(cause)" }
    }

    package let workload: Workload
    package let length: Int
    package private(set) var totals = Totals()
    /// The different images, by fingerprint; whether each came only as a mixture.
    package private(set) var images: [UInt64: Bool] = [:]
    private var seed: UInt64 = 0
    /// Where the crash that is being judged comes from.
    private var path: [CrashState] = []
    private var judging: (crash: Crash, expectation: Expectation)?

    package init(_ workload: Workload, length: Int) {
        self.workload = workload
        self.length = length
    }

    /// Different images so far.
    package var imageCount: Int { images.count }
    /// Of them, those in which neither all nor nothing of what was pending had reached the disk.
    package var mixedCount: Int { images.values.reduce(0) { $1 ? $0 + 1 : $0 } }

    // MARK: - Runs

    /// Runs the workload and judges its crashes.
    ///
    /// - Parameters:
    ///   - states: How many states a moment at most.
    ///   - wanted: Stops once there are so many different images.
    /// - Throws: `Failure`.
    package func explore(
        seed: UInt64, states: Int, until wanted: Int = .max, progress: () -> Void = {}
    ) async throws {
        let run = WorkRun(workload, seed: seed, length: length)
        self.seed = seed
        (path, judging) = ([], nil)
        do {
            try await run.run()
            let trace = run.disk.trace
            let timeline = try run.timeline()
            totals.runs += 1
            totals.calls += trace.callCount
            var seen: Set<Seen> = []
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
                let what = Seen(image: image, low: expectation.low, high: expectation.high, clock: expectation.clock)
                guard seen.insert(what).inserted else { continue }
                try await judge(crash, expectation)
            }
        } catch {
            throw failure(error, run.disk)
        }
    }

    /// Judges one crash, and one upon it, to have a failure again.
    package func replay(seed: UInt64, path states: [CrashState]) async throws {
        let run = WorkRun(workload, seed: seed, length: length)
        self.seed = seed
        (path, judging) = ([], nil)
        do {
            try await run.run()
            let trace = run.disk.trace
            guard let first = states.first else { return }
            let crash = trace.crash(first)
            let expectation = try run.timeline().expectation(
                after: first.events, keepsAll: crash.image.fingerprint() == crash.extremes.nothingLost)
            try await judge(crash, expectation, again: states.dropFirst().first)
        } catch {
            throw failure(error, run.disk)
        }
    }

    /// Judges an image that was kept.
    package func judge(_ image: DiskImage, _ expectation: Expectation) async throws {
        _ = try await StoreCheck(image, expectation, seed: 0).run()
    }

    private func failure(_ cause: any Error, _ disk: SimulatedDisk) -> Failure {
        Failure(
            workload: workload, seed: seed, length: length, path: path, cause: cause,
            image: judging?.crash.image ?? disk.image, expectation: judging?.expectation,
            lastCalls: judging?.crash.lastCalls(8) ?? Array(disk.trace.calls.suffix(8)))
    }

    private func note(_ crash: Crash) -> UInt64 {
        let image = crash.image.fingerprint()
        let isMixed = image != crash.extremes.everythingLost && image != crash.extremes.nothingLost
        images[image] = (images[image] ?? true) && isMixed
        return image
    }

    // MARK: - Judgement

    private struct Seen: Hashable {
        var image: UInt64
        var low: UInt64
        var high: UInt64
        var clock: UInt64
    }

    /// Opens what a crash left, compares, writes, crashes that again, and compares again.
    ///
    /// - Parameter again: Only this crash of the second run.
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
        // What was acknowledged after the first crash survives a second, whatever else is lost.
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
