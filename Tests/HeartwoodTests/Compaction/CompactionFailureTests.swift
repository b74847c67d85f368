import HeartwoodCampaignSupport
import HeartwoodConcurrency
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// A compaction that fails or is cancelled, or whose store is closed or released, leaves the store unchanged.
@Suite struct CompactionFailureTests {
    private let fixture = CompactionFixture()

    @Test func aDamagedRecordStopsItAndNothingIsRemoved() async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<100)
        let before = fixture.logs
        let location = "key/50".withByteBuffer { store.log.index.find($0, at: nil)! }.location
        let segment = RecordReader(image: store.image).segment(of: location)
        try fixture.disk.flipBit(of: segment.path, at: segment.offset(of: location) + 34)
        await expectError(.corruption) { try await store.compact() }
        #expect(fixture.snapshots.isEmpty && Array(fixture.logs.prefix(before.count)) == before)
        #expect(!fixture.files.contains { $0.hasSuffix(".snapshot.tmp") })
        #expect(store.statistics.compaction.failed == 1)
        try fixture.expect(store, 0..<50)
        try fixture.expect(store, 51..<100)
        await expectError(.corruption) { _ = try store.get("key/50") }
        // Once it is overwritten, compaction succeeds.
        try await fixture.fill(store, 50..<51)
        #expect(try await store.compact().snapshot?.keys == 100)
        try await store.close()
    }

    /// A snapshot is read back before it is used: the disk may have changed it.
    @Test func aSnapshotThatCantBeReadBackIsNotTrusted() async throws {
        let bytes = try await snapshotBytes()
        // One bit in each part of the file: header, records, keys, footer.
        for offset in [80, 4_096 + 40, bytes / 2, bytes - 200, bytes - 30] {
            let store = try await fixture.open()
            let pending = Locked<Int?>(offset)
            fixture.disk.observe { [weak disk = fixture.disk] operation, path in
                guard operation == .sync, path.hasSuffix(".snapshot.tmp") else { return }
                let offset = pending.withLock { offset in
                    defer { offset = nil }
                    return offset
                }
                if let offset { try? disk?.flipBit(of: path, at: UInt64(offset)) }
            }
            let before = fixture.logs
            await expectError(.corruption) { try await store.compact() }
            #expect(fixture.snapshots.isEmpty && fixture.logs.count >= before.count, "offset \(offset)")
            #expect(!fixture.files.contains { $0.hasSuffix(".snapshot.tmp") })
            try fixture.expect(store, 0..<50)
            fixture.disk.observe { _, _ in }
            try await store.close()
        }
        let store = try await fixture.open()
        try await store.compact()
        try fixture.expect(store, 0..<50)
        try await store.close()
    }

    /// The size of the snapshot of a store of fifty keys. The fixture gets the same store without a snapshot.
    private func snapshotBytes() async throws -> Int {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<50)
        try await store.close()
        let twin = SimulatedDisk(image: fixture.disk.image)
        try await fixture.open { $0.fileSystem = twin }.compact()
        return try #require(twin.image.files.first { $0.hasSuffix(".snapshot") }.map { twin.image[path: $0]!.count })
    }

    @Test func aDiskWithTooLittleSpaceIsAnErrorBeforeWriting() async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<300)
        let before = fixture.files
        fixture.disk.capacity = 200 << 10
        let error = await expectError(.outOfSpace) { try await store.compact() }
        #expect(error?.message.contains("bytes") == true)
        #expect(fixture.files == before)
        fixture.disk.capacity = .max
        #expect(try await store.compact().snapshot?.keys == 300)
        try await store.close()
    }

    // MARK: - Ended early

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
