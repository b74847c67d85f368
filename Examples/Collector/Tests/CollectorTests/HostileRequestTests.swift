import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CollectorService
@testable import collector_fuzz

/// Random requests, from fixed seeds. `Examples/Collector/trials hostile` sends them for as long as one likes.
@Suite struct HostileRequestTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>) func noneIsAnErrorOfTheService(_ seed: UInt64) async throws {
        try await Fixture().run(.live) { client, _ in
            let run = HostileRun(
                host: "127.0.0.1", port: try #require(client.port), writeToken: Fixture.write,
                readToken: Fixture.read)
            let kept = try await client.post("{\"type\":\"kept\"}").json["ids"] as? [String]
            let result = await run.run(seed: seed) { $0 < 150 }
            for failure in result.failures {
                Issue.record("\(String(decoding: failure.request, as: UTF8.self)): \(failure.answer)")
            }
            // How many of the random events are acknowledged depends on time.
            #expect(try await run.missing(result.acknowledged.union(#require(kept))).isEmpty)
            #expect(try await client.post("{\"type\":\"a\"}").status == .created)
        }
    }
}
