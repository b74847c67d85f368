import HeartwoodCampaignSupport
import Testing

/// Two readers and a writer, with every answer checked. `Tools/campaign readers` does this millions of times.
@Suite struct ReadersConcurrencyTests {
    private let seed = testSeed("ReadersConcurrencyTests")

    @Test func readsOfTheIndexAreLinearizable() async throws {
        // So few keys that the tree passes through every phase twice.
        let run = ReadersRun(seed: seed, keys: 1_500)
        for _ in 0..<3 { try await run.round(.index, changes: 20_000) }
        #expect(!run.isLackingChurn, "\(run.summary)")
        #expect(run.summary.reads > 0 && run.summary.changes >= 60_000)
    }

    @Test func readsOfAStoreAreLinearizable() async throws {
        let run = ReadersRun(seed: seed, keys: 500)
        for _ in 0..<2 { try await run.round(.store, changes: 6_000) }
        #expect(run.summary.reads > 0 && run.summary.changes >= 12_000)
    }
}
