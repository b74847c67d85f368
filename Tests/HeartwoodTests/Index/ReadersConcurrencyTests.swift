import HeartwoodCampaignSupport
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Two readers beside a writer, every answer judged; `Tools/campaign readers` does it millions of times.
@Suite struct ReadersConcurrencyTests {
    private static var seed: UInt64 {
        let seed = getenv("HEARTWOOD_SEED").flatMap { UInt64(String(cString: $0)) } ?? .random(in: 1...999_999_999)
        print("ReadersConcurrencyTests: HEARTWOOD_SEED=\(seed)")
        return seed
    }

    @Test func readsOfTheIndexAreLinearizable() async throws {
        // So few keys that the tree has been through every phase twice.
        let run = ReadersRun(seed: Self.seed, keys: 1_500)
        for _ in 0..<3 { try await run.round(.index, changes: 20_000) }
        #expect(!run.summary.churn.isLacking, "\(run.summary.churn)")
        #expect(run.summary.reads > 0 && run.summary.changes >= 60_000)
    }

    @Test func readsOfAStoreAreLinearizable() async throws {
        let run = ReadersRun(seed: Self.seed, keys: 500)
        for _ in 0..<2 { try await run.round(.store, changes: 6_000) }
        #expect(run.summary.reads > 0 && run.summary.changes >= 12_000)
    }
}
