import HeartwoodCampaignSupport
import Testing

/// Inspections beside a store that is in use; `Tools/campaign inspection` does more of them.
@Suite struct InspectionConcurrencyTests {
    @Test func besideAWriterNothingIsFoundToBeWrong() async throws {
        let place = try TemporaryDirectory.make("inspection-test")
        defer { TemporaryDirectory.remove(place) }
        let run = InspectionRun(path: place + "/store", seed: 7, keys: 300, valueBytes: 600)
        let summary = try await run.run(inspections: 60)
        #expect(summary.verified == 20 && summary.surveyed == 20 && summary.followed == 20)
    }
}
