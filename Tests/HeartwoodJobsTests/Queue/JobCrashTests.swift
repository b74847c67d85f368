import HeartwoodCampaignSupport
import Testing

/// A short form of the campaign "jobs".
@Suite("Crashes of queues", .timeLimit(.minutes(10)))
struct JobCrashTests {
    @Test("no job is lost, comes back, or has two workers", arguments: [1, 2, 3] as [UInt64])
    func crashes(_ part: UInt64) async throws {
        let seed = part * 1_000 + testSeed("crashes of queues") % 1_000
        let exploration = CrashExploration(JobSubject())
        do {
            for next in seed..<seed + 1_000 where exploration.imageCount < 100 {
                try await exploration.explore(seed: next, states: 6, until: 100)
            }
        } catch {
            Issue.record("\(error); again: Tools/campaign jobs --seed \(seed)")
        }
        #expect(exploration.totals.claims > 0)
    }
}
