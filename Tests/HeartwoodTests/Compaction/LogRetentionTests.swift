import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// Log segments that a snapshot covers and that are kept for readers that follow the log.
@Suite struct LogRetentionTests {
    private let fixture = CompactionFixture()

    @Test func keptLogsExistAndAreNotRead() async throws {
        let store = try await fixture.open { $0.logRetention = .everything }
        try await fixture.fill(store, 0..<100)
        let before = fixture.logs
        try await store.compact()
        #expect(Array(fixture.logs.dropLast()) == before)
        try await fixture.fill(store, 0..<10, round: 1)
        try await store.close()
        let again = try await fixture.open { $0.logRetention = .everything }
        #expect(again.recoveryReport.records == 10)
        #expect(Array(fixture.logs.dropLast()) == before)
        try fixture.expect(again, 0..<10, round: 1)
        try fixture.expect(again, 10..<100)
        try await again.compact()
        #expect(fixture.logs.count > before.count)
        try await again.close()
        // Without retention, the first write removes them.
        let third = try await fixture.open()
        #expect(third.recoveryReport.segments == 1)
        try await third.put("a", "b")
        #expect(fixture.logs.count == 2)
        try fixture.expect(third, 0..<10, round: 1)
        try await third.close()
    }

    @Test func partOfTheLogIsKept() async throws {
        let store = try await fixture.open { $0.logRetention = .bytes(40 << 10) }
        try await fixture.fill(store, 0..<300)
        try await store.compact()
        #expect((2...3).contains(fixture.logs.count))
        try await fixture.fill(store, 0..<300, round: 1)
        try await store.compact()
        #expect((2...3).contains(fixture.logs.count))
        try await store.close()
    }

    /// With `.unchanged`, the last choice applies: the store records it.
    @Test func theStoreRecordsWhetherTheLogIsKept() async throws {
        let keeping = try await fixture.open { $0.logRetention = .bytes(1 << 20) }
        #expect(!fixture.files.contains("KEEP-LOG"), "nothing was written yet")
        try await fixture.fill(keeping, 0..<100)
        try await keeping.close()
        #expect(fixture.files.contains("KEEP-LOG"))
        let logs = fixture.logs
        let choices = [(LogRetention.unchanged, true), (.everything, true), (.none, false), (.unchanged, false)]
        for (retention, keeps) in choices {
            let store = try await fixture.open { $0.logRetention = retention }
            try await fixture.fill(store, 0..<10, round: 1)
            try await store.compact()
            try await store.close()
            #expect(fixture.files.contains("KEEP-LOG") == keeps)
            #expect(Set(fixture.logs).isSuperset(of: logs) == keeps)
        }
    }
}
