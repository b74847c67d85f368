import HeartwoodCampaignSupport
import HeartwoodFuzzing
import Testing

/// A short form of `Tools/campaign repair`.
@Suite struct RepairCampaignTests {
    @Test func repairsOfDamagedStoresKeepTheRules() async throws {
        let seed: UInt64 = 1
        let campaign = RepairCampaign(seed: seed) { Forgery.run(&$0, &$1) }
        let (totals, failures) = await campaign.run(cases: 100, interruptions: 60, jobs: 1) { _, _ in
        } report: { _ in
        }
        #expect(totals.cases == 100 && totals.refused > 10)
        for failure in failures {
            Issue.record(
                """
                seed \(seed), case \(failure.number), \(failure.damage): \(failure.broken.rule.rawValue): \
                \(failure.broken)
                """
            )
        }
    }

    /// Cases that broke a rule once: wrong names and headers that agree, blocks of other files, and forged times.
    @Test(
        arguments: [
            20_261_123: [7128, 8551, 8575, 9933, 27460, 31389, 33029, 43398, 65265, 77567, 83663],
            77: [4079, 15961, 17958, 20834],
            99: [2417, 20416, 22119],
            5150: [5943, 9251, 44301, 51641, 53421],
            31337: [5346, 27651, 37083],
            424_242: [4827, 32829, 55313, 75237],
            90210: [23398, 61753],
            555: [4848],
            777: [45190, 63028, 73934],
            2024: [34667, 39212, 56270],
            22: [40287, 53744, 74122, 87152],
            33: [5160, 31710, 59525],
            31415: [65780],
            161_803: [88487],
            271_828: [95480],
            60221: [45366],
            57721: [62828, 74993, 75928, 89498],
            20_261_127: [253475, 368729],
            865_163_625: [287],
            934_098_574: [482],
            77001: [184704, 203002, 245808, 343442],
        ] as [UInt64: [Int]])
    func casesThatBrokeARuleOnceKeepIt(_ seed: UInt64, _ cases: [Int]) async throws {
        let campaign = RepairCampaign(seed: seed) { Forgery.run(&$0, &$1) }
        for number in cases {
            for failure in await campaign.run(case: number, interrupted: false).1 {
                Issue.record("seed \(seed), case \(number): \(failure.broken)")
            }
        }
    }

    /// A case is reproducible: its history is the same each time.
    @Test func historiesAreTheSameForTheSameSeed() async throws {
        for seed in 1...8 as ClosedRange<UInt64> {
            let first = try await HistoryWriter.write(seed: seed)
            let second = try await HistoryWriter.write(seed: seed)
            #expect(first.image.files == second.image.files, "seed \(seed)")
            #expect(first.changes == second.changes, "seed \(seed)")
        }
    }

    /// Every kind of damage occurs.
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
