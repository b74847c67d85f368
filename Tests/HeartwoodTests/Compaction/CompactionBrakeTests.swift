import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// How much the log writer holds back.
@Suite struct CompactionBrakeTests {
    @Test func onlyALogThatHasOutgrownItsLimitIsHeldBack() {
        #expect(CompactionBrake.pause(logBytes: 1_999, limit: 1_000, busy: 500) == 0)
        #expect(CompactionBrake.pause(logBytes: 2_000, limit: 1_000, busy: 500) == 500)
        #expect(CompactionBrake.pause(logBytes: 3_999, limit: 1_000, busy: 500) == 500)
        #expect(CompactionBrake.pause(logBytes: 4_000, limit: 1_000, busy: 500) == 4_500)
    }

    @Test func noPauseIsLong() {
        #expect(CompactionBrake.pause(logBytes: 9_000, limit: 1_000, busy: .max) == CompactionBrake.longest)
        #expect(CompactionBrake.pause(logBytes: 2_000, limit: 1_000, busy: .max) == CompactionBrake.longest)
        #expect(CompactionBrake.pause(logBytes: .max, limit: .max, busy: .max) == 0)
        #expect(CompactionBrake.pause(logBytes: .max, limit: 0, busy: 1) == 0)
    }

    /// A limit is any number: doubling this one ended the process.
    @Test func aLimitBeyondAllSizesHoldsNobodyBack() async throws {
        var configuration = Store.Configuration()
        configuration.fileSystem = InMemoryFileSystem()
        configuration.compaction.minimumLogBytes = .max
        let store = try await Store.open(at: "/store", configuration: configuration)
        try await store.put("a", "1")
        #expect(store.log.compactionPause(busy: 1) == 0)
        try await store.close()
    }
}
