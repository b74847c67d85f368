import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodTesting
import Testing

@testable import Heartwood

/// Compaction when a store closes, after many short openings.
@Suite struct CompactionAtCloseTests {
    private let fixture = CompactionFixture()

    /// Each opening makes a segment. A hundred leave a few files, with all that was written.
    @Test(arguments: [true, false])
    func shortOpeningsLeaveFewFiles(blocking: Bool) async throws {
        for number in 0..<100 {
            try await openShortly(number, blocking: blocking)
            #expect(fixture.files.count <= 9, "\(fixture.files)")
        }
        let store = try await fixture.open()
        #expect(try (0..<100).allSatisfy { try store.get("key/\($0)") == [UInt8]("value".utf8) })
        try await store.close()
    }

    private func openShortly(
        _ number: Int, blocking: Bool = false, _ change: (inout Store.Configuration) -> Void = { _ in }
    ) async throws {
        let store = try await fixture.open(change)
        try await store.put("key/\(number)", "value")
        if blocking { try close(store) } else { try await store.close() }
    }

    private func close(_ store: Store) throws { try store.blocking.close() }

    /// An opening that writes nothing changes nothing. With the manual policy, closing doesn't compact.
    @Test func onlyOpeningsThatWriteAndMayCompactDo() async throws {
        for number in 0..<20 { try await openShortly(number) { $0.compaction = .manual } }
        #expect(fixture.logs.count == 20)
        let reading = try await fixture.open()
        #expect(try reading.get("key/7") != nil)
        try await reading.close()
        #expect(fixture.logs.count == 20)
        try await openShortly(20)
        #expect(fixture.logs.count == 1 && fixture.snapshots.count == 1)
    }

    /// A close writes at most a few times the bytes that short openings wrote, so it doesn't compact a large store.
    @Test func aLargeStoreIsNotCompacted() async throws {
        for number in 0..<10 {
            let store = try await fixture.open { $0.segmentBytes = 16 << 20 }
            for part in 0..<10 {
                try await store.put("\(number)/\(part)", [UInt8](repeating: 1, count: 100_000), durability: .buffered)
            }
            try await store.close()
        }
        #expect(fixture.logs.count == 10 && fixture.snapshots.isEmpty)
    }

    /// If the compaction fails, the store still closes in order, with all that was written.
    @Test func aFailureLeavesTheStoreUnchanged() async throws {
        for number in 0..<7 { try await openShortly(number) }
        let store = try await fixture.open()
        try await store.put("key/7", "value")
        fixture.disk.inject(Fault(.rename, .error(ErrorNumber.EIO), path: StoreFileName.newSnapshotName, times: .max))
        try await store.close()
        fixture.disk.heal()
        #expect(fixture.snapshots.isEmpty && fixture.logs.count >= 8)
        let again = try await fixture.open()
        #expect(again.recoveryReport.tail == .closed)
        #expect(try (0..<8).allSatisfy { try again.get("key/\($0)") != nil })
        try await again.close()
    }

    @Test func aCancelledTaskStillCloses() async throws {
        for number in 0..<10 {
            let store = try await fixture.open()
            try await store.put("key/\(number)", "value")
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try await store.close()
            }
            task.cancel()
            try await task.value
            #expect(store.state == .closed)
        }
    }
}
