import HeartwoodCampaignSupport
import HeartwoodTesting
import Testing

/// Short runs of `Tools/campaign crash`, `faults` and `damage`.
@Suite struct SimulationTests {
    private func seed(_ name: String) -> UInt64 {
        testSeed(name) % 1_000_000_000
    }

    @Test(arguments: Workload.allCases)
    func crashesBreakNoPromise(workload: Workload) async throws {
        let exploration = CrashExploration(workload, length: 8)
        var next = seed("crashes of \(workload)")
        while exploration.imageCount < 60 {
            try await exploration.explore(seed: next, states: 8, until: 60)
            next += 1
        }
        #expect(exploration.mixedCount > 10)
    }

    @Test(arguments: Workload.allCases)
    func failingCallsBreakNoPromise(workload: Workload) async throws {
        let exploration = FaultExploration(workload, length: 4)
        try await exploration.explore(seed: seed("faults of \(workload)"), until: 60)
        #expect(exploration.totals.faults > 10)
    }

    /// The only compaction replaces the log of an opening whose first write failed.
    @Test func snapshotOfAnEpochWithoutWrites() async throws {
        let exploration = FaultExploration(.compaction, length: 16)
        try await exploration.explore(seed: 306_022_848, only: 934)
        #expect(exploration.totals.faults == 1)
    }

    @Test(arguments: Workload.allCases)
    func damageIsNeverSilent(workload: Workload) async throws {
        let exploration = DamageExploration(workload, length: 6)
        let seed = seed("damage of \(workload)")
        // The first files of a run may be covered by a snapshot, so that no damage of them matters: one run in 25 of
        // the workload "compaction".
        for next in seed..<seed + 10 where exploration.refusedCount == 0 {
            try await exploration.explore(seed: next, until: exploration.totals.damages + 40)
        }
        #expect(exploration.refusedCount > 0)
    }

    @Test(arguments: Workload.allCases.filter(\.isDeterministic))
    func theSameSeedGivesTheSameRun(workload: Workload) async throws {
        let seed = seed("run of \(workload)")
        let first = WorkRun(workload, seed: seed, length: 12)
        let second = WorkRun(workload, seed: seed, length: 12)
        try await first.run()
        try await second.run()
        #expect(first.describe() == second.describe())
        let prints = zip(first.disk.trace.crashStates(limit: 4), second.disk.trace.crashStates(limit: 4)).map {
            ($0.image.fingerprint(), $1.image.fingerprint())
        }
        #expect(prints.allSatisfy { $0 == $1 })
    }
}
