import HeartwoodCampaignSupport
import HeartwoodFuzzing
import Testing

/// A little of `Tools/campaign repair`.
@Suite struct RepairCampaignTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func repairsOfDamagedStoresKeepTheRules(_ seed: UInt64) async throws {
        let campaign = RepairCampaign(seed: seed) { Forgery.run(&$0, &$1) }
        let (totals, failures) = await campaign.run(cases: 100, interruptions: 60, jobs: 1) { _, _ in
        } report: { _ in
        }
        #expect(totals.cases == 100 && totals.refused > 10)
        for failure in failures {
            Issue.record(
                "seed \(seed), case \(failure.number), \(failure.damage): \(failure.broken.rule.rawValue): \(failure.broken)"
            )
        }
    }

    /// A case can be had again: its history is the same each time.
    @Test func historiesAreTheSameForTheSameSeed() async throws {
        for seed in 1...8 as ClosedRange<UInt64> {
            let first = try await HistoryWriter.write(seed: seed)
            let second = try await HistoryWriter.write(seed: seed)
            #expect(first.image.files == second.image.files, "seed \(seed)")
            #expect(first.changes == second.changes, "seed \(seed)")
        }
    }

    /// Every kind of damage comes.
    @Test func allKindsOfDamageAreDone() async throws {
        let campaign = RepairCampaign(seed: 4) { Forgery.run(&$0, &$1) }
        var kinds: Set<DamageKind> = []
        for index in 0..<20 {
            let history = try await campaign.history(index)
            for number in 0..<RepairCampaign.casesOfHistory {
                let damaged = campaign.damage(history, index * RepairCampaign.casesOfHistory + number)
                kinds.formUnion(damaged.kinds)
            }
        }
        #expect(kinds == Set(DamageKind.allCases))
    }
}
