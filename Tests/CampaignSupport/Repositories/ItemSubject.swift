internal import Heartwood
internal import HeartwoodFileSystem
package import HeartwoodTesting

/// Repositories of several versions of a program. What a crash leaves is opened, judged, maintained and written to.
package struct ItemSubject: CrashSubject {
    package init() {}

    package let share: (states: Int, stream: UInt64)? = (100, 25)

    package func fingerprint(of evidence: ItemExpectation) -> [UInt64] { [evidence.fingerprint] }

    package func history(seed: UInt64) -> CrashHistory<ItemExpectation> {
        let run = ItemRun(seed: seed)
        return CrashHistory(disk: run.disk) {
            try await run.run()
            let timeline = run.timeline()
            var aftermath = Aftermath(
                trace: run.disk.trace, evidence: timeline.expectation(after:keepsAll:))
            aftermath.counts.attempts = run.attemptCount
            aftermath.counts.refusals = run.refusalCount
            aftermath.counts.faults = run.disk.injected.isEmpty ? 0 : 1
            return aftermath
        }
    }

    package func check(
        _ image: DiskImage, _ evidence: ItemExpectation, depth: Int
    ) async throws -> Aftermath<ItemExpectation> {
        var check = ItemCheck(image, evidence)
        return try await check.run()
    }

    /// A few are crashed again at every moment.
    package func crashes(of trace: DiskTrace, from image: UInt64, seed: UInt64, depth: Int) -> [Crash] {
        var random = SeededRandom(image, 24, UInt64(depth))
        if depth == 1, random.oneIn(400) { return Array(trace.crashStates(limit: 3, seed: image)) }
        return drawnCrash(of: trace, &random, depth: depth, deepest: 6)
    }
}
