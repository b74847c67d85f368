import Foundation
import HeartwoodCampaignSupport
import HeartwoodTesting
import Testing

/// Random operations, compared with a dictionary. `Tools/campaign model` runs millions of them.
@Suite struct ModelTests {
    /// The fixed seeds, and `HEARTWOOD_SEED` if that is set.
    static var seeds: [UInt64] {
        let own = ProcessInfo.processInfo.environment["HEARTWOOD_SEED"].flatMap { UInt64($0) }
        return [1, 2, 3, 4] + (own.map { [$0] } ?? [])
    }

    @Test(arguments: seeds)
    func randomOperationsAgreeWithADictionary(seed: UInt64) async throws {
        let run = ModelRun(seed: seed)
        try await run.run(operations: 5_000)
        #expect(run.summary.operations == 5_000)
        #expect(run.summary.writes > 2_000)
    }

    @Test func sameSeedDrawsSameOperations() {
        for number in 0..<1_000 {
            #expect(drawn(number, seed: 7) == drawn(number, seed: 7))
        }
        #expect((0..<100).contains { drawn($0, seed: 7) != drawn($0, seed: 8) })
    }

    @Test func valuesAreIdentifiedByTheirPattern() {
        for identity in UInt64(0)..<8 {
            for length in [0, 1, 7, 8, 9, 1000] {
                let pattern = ValuePattern(identity: identity, length: length)
                var bytes = pattern.bytes
                #expect(bytes.count == length)
                #expect(pattern.matches(bytes))
                #expect(!pattern.matches(bytes + [0]))
                guard length > 0 else { continue }
                bytes[length - 1] ^= 1
                #expect(!pattern.matches(bytes))
            }
        }
    }

    private func drawn(_ number: Int, seed: UInt64) -> String {
        var random = SeededRandom(seed)
        let universe = KeyUniverse(count: 50, &random)
        let generator = OperationGenerator(seed: seed, universe: universe, storesOnDisk: false)
        return "\(generator.operation(number))"
    }
}
