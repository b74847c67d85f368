import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// A compaction that is cancelled, or whose store is closed or released, leaves the store unchanged.
@Suite struct CompactionEndTests {
    private let fixture = CompactionFixture()

    @Test func aCancelledCompactionLeavesTheStoreUnchanged() async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<100)
        let before = fixture.logs
        let task = Task { try await store.compact { _ in } }
        task.cancel()
        let result = await task.result
        if case .failure(let error) = result { #expect((error as? StoreError)?.code == .cancelled) }
        try fixture.expect(store, 0..<100)
        if case .failure = result { #expect(fixture.snapshots.isEmpty && fixture.logs.count <= before.count + 1) }
        try await store.compact()
        #expect(fixture.snapshots.count == 1)
        try await store.close()
        await expectError(.closed) { try await store.compact() }
    }

    /// A caller that waits for the compaction then gets the error `.closed`.
    @Test func closingEndsACompaction() async throws {
        for delay in 0..<6 {
            let store = try await fixture.open()
            try await fixture.fill(store, 0..<200, round: delay)
            let task = Task { try await store.compact() }
            for _ in 0..<delay * 40 { await Task.yield() }
            try await store.close()
            if case .failure(let error) = await task.result { #expect((error as? StoreError)?.code == .closed) }
            let again = try await fixture.open()
            try fixture.expect(again, 0..<200, round: delay)
            try await again.close()
        }
    }

    /// The progress closure may have the last reference to the store. Its deinit waits for the compactor's thread.
    @Test func theStoreMayBeReleasedByItsCompaction() async throws {
        for _ in 0..<10 {
            try await compactAndDrop()
            while fixture.disk.isLocked(fixture.path + "/LOCK") { await Task.yield() }
        }
    }

    private func compactAndDrop() async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<20)
        try await store.compact { _ in _ = store.statistics }
    }
}
