import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// A compaction that fails leaves the store unchanged.
@Suite struct CompactionFailureTests {
    private let fixture = CompactionFixture()

    @Test func aDamagedRecordStopsItAndNothingIsRemoved() async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<100)
        let before = fixture.logs
        let location = "key/50".withByteBuffer { store.log.index.find($0, at: nil)! }.location
        let segment = RecordReader(image: store.image).segment(of: location)
        let file = try fixture.disk.openFile(segment.path, for: .readWrite)
        let damage: [UInt8] = [0xFF]
        try damage.withUnsafeBytes { try file.writeFully($0, at: segment.offset(of: location) + 34) }
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
            let faulty = RottingFileSystem(fixture.disk) { path in
                path.hasSuffix(".snapshot.tmp") ? offset : nil
            }
            let store = try await fixture.open { $0.fileSystem = faulty }
            let before = fixture.logs
            await expectError(.corruption) { try await store.compact() }
            #expect(fixture.snapshots.isEmpty && fixture.logs.count >= before.count, "offset \(offset)")
            #expect(!fixture.files.contains { $0.hasSuffix(".snapshot.tmp") })
            try fixture.expect(store, 0..<50)
            try await store.close()
        }
        let store = try await fixture.open()
        try await store.compact()
        try fixture.expect(store, 0..<50)
        try await store.close()
    }

    /// The size of the snapshot of a store of fifty keys. The fixture gets the same store without a snapshot.
    private func snapshotBytes() async throws -> Int {
        let twin = SimulatedDisk(seed: 9)
        for target in [twin, fixture.disk] {
            let store = try await fixture.open { $0.fileSystem = target }
            try await fixture.fill(store, 0..<50)
            if target === twin { try await store.compact() }
            try await store.close()
        }
        let name = try #require(try twin.contents(ofDirectory: fixture.path).first { $0.hasSuffix(".snapshot") })
        return try #require(twin.image[path: fixture.path + "/" + name]).count
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
}
