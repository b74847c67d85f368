import HeartwoodCampaignSupport
import Testing

/// Inspections of a store that is in use; `Tools/campaign inspection` does more of them.
@Suite struct InspectionConcurrencyTests {
    @Test func whileAStoreIsWrittenToNothingIsReported() async throws {
        let directory = try TemporaryDirectory.make("inspection-test")
        defer { TemporaryDirectory.remove(directory) }
        let run = InspectionRun(path: directory + "/store", seed: 7, keys: 300, valueBytes: 600)
        let summary = try await run.run(inspections: 60)
        #expect(summary.verified == 20 && summary.surveyed == 20 && summary.followed == 20)
    }
}
