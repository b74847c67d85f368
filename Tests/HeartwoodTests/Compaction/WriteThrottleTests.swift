import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// How long the log writer pauses.
@Suite struct WriteThrottleTests {
    private func pause(_ log: UInt64, _ limit: UInt64, _ written: UInt64, after elapsed: UInt64 = 0) -> UInt64 {
        WriteThrottle.pause(logBytes: log, limit: limit, written: written, elapsed: elapsed, rate: 1_000_000)
    }

    @Test func onlyALogFarOverItsLimitIsThrottled() {
        #expect(pause(2_999, 1_000, 500) == 0)
        #expect(pause(3_000, 1_000, 500) == 500_000)
        #expect(pause(3_999, 1_000, 500) == 500_000)
        #expect(pause(4_000, 1_000, 500) == 1_000_000)
    }

    @Test func theTimeSinceTheLastCommitCounts() {
        #expect(pause(3_000, 1_000, 500, after: 200_000) == 300_000)
        #expect(pause(3_000, 1_000, 500, after: 500_000) == 0)
        #expect(pause(3_000, 1_000, 500, after: .max) == 0)
    }

    @Test func noPauseIsLong() {
        #expect(pause(9_000, 1_000, .max) == WriteThrottle.longest)
        #expect(pause(3_000, 1_000, 1 << 30) == WriteThrottle.longest)
        #expect(pause(.max, .max, .max) == 0)
        #expect(pause(.max, 0, 1) == 0)
        #expect(WriteThrottle.pause(logBytes: .max, limit: 1, written: 1, elapsed: 0, rate: 0) == 0)
    }

    /// A limit may be any number; doubling this one would overflow.
    @Test func aLimitBeyondAllSizesThrottlesNoWriter() async throws {
        var configuration = Store.Configuration(in: InMemoryFileSystem())
        configuration.compaction.minimumLogBytes = .max
        let store = try await Store.open(at: "/store", configuration: configuration)
        try await store.put("a", "1")
        #expect(store.log.pause(written: 1, elapsed: 0) == 0)
        try await store.close()
    }
}
