import Foundation
import Heartwood
import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// Files of a store that are removed, or moved away, while it is open.
@Suite struct RemovedFilesTests {
    private let directory = TemporaryDirectory()

    private func open(
        _ path: String, in fileSystem: any FileSystem, _ change: (inout Store.Configuration) -> Void = { _ in }
    ) async throws -> Store {
        var configuration = Store.Configuration(in: fileSystem, segmentBytes: 64 << 10, commitBufferBytes: 64 << 10)
        configuration.compaction = .manual
        change(&configuration)
        return try await Store.open(at: path, configuration: configuration)
    }

    private func removeAll(_ path: String, in fileSystem: any FileSystem, suffix: String = "") throws {
        for name in try fileSystem.contents(ofDirectory: path) where name.hasSuffix(suffix) {
            try fileSystem.remove(path + "/" + name)
        }
        if suffix.isEmpty { try fileSystem.remove(path) }
    }

    private func expectMissing(_ error: StoreError?, _ name: String) {
        #expect(error?.description.contains(name) == true, "\(error as Any)")
        #expect(error?.message.contains("removed") == true || error?.code == .failed, "\(error as Any)")
        #expect((error?.cause as? FileSystemError)?.isNotFound == true, "\(error as Any)")
    }

    private static var systems: [@Sendable () -> any FileSystem] {
        [{ InMemoryFileSystem() }, { SimulatedDisk(seed: 3) }, { POSIXFileSystem() }]
    }

    private func storePath(_ fileSystem: any FileSystem) -> String {
        fileSystem is POSIXFileSystem ? directory.path("store") : "/store"
    }

    @Test(arguments: systems)
    func nothingIsAcknowledgedInADirectoryThatIsGone(make: @Sendable () -> any FileSystem) async throws {
        let fileSystem = make()
        let path = storePath(fileSystem)
        let store = try await open(path, in: fileSystem)
        try await store.put("before", "1")
        try removeAll(path, in: fileSystem)
        expectMissing(await expectError(.outcomeUnknown) { try await store.put("after", "1") }, "01.log")
        #expect(store.state == .failed)
        #expect(try store.get("before") != nil, "reads still succeed")
        await expectError(.failed) { try await store.put("later", "1", durability: .buffered) }
        expectMissing(await expectError(.failed) { try await store.close() }, "01.log")
    }

    @Test func theFlushOrTheCloseReportsItForBufferedWrites() async throws {
        let fileSystem = InMemoryFileSystem()
        var store = try await open("/store", in: fileSystem) { $0.timing.sync = .max }
        try await store.put("before", "1")
        try removeAll("/store", in: fileSystem)
        try await store.put("after", "1", durability: .written)
        expectMissing(await expectError(.outcomeUnknown) { try await store.sync() }, "01.log")
        await expectError(.failed) { try await store.close() }

        store = try await open("/store", in: fileSystem)
        try await store.put("before", "1")
        try removeAll("/store", in: fileSystem)
        expectMissing(await expectError(.inputOutput) { try await store.close() }, "01.log")
    }

    /// The background sync runs within a second.
    @Test func bufferedWritesAreRefusedAfterTheBackgroundSync() async throws {
        let fileSystem = InMemoryFileSystem()
        let store = try await open("/store", in: fileSystem)
        try await store.put("before", "1")
        try removeAll("/store", in: fileSystem)
        let refused = await firstRefusal(limit: 600) { _ in
            try await store.put("after", "1", durability: .buffered)
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(refused?.code == .failed)
        await expectError(.failed) { try await store.close() }
    }

    /// A segment that is no longer written to: the next rotation or the close reports it.
    @Test(arguments: [false, true])
    func aMissingOlderSegmentIsReported(rotates: Bool) async throws {
        let fileSystem = InMemoryFileSystem()
        let store = try await open("/store", in: fileSystem)
        let value = [UInt8](repeating: 7, count: 10_000)
        for number in 0..<10 { try await store.put("key-\(number)", value) }
        try fileSystem.remove("/store/0000000000000001.log")
        if rotates {
            let refused = await firstRefusal(limit: 20) { try await store.put("key-\(10 + $0)", value) }
            #expect(refused != nil && store.state == .failed)
            await expectError(.failed) { try await store.close() }
        } else {
            expectMissing(await expectError(.inputOutput) { try await store.close() }, "01.log")
        }
    }

    @Test func aMissingSnapshotIsReported() async throws {
        let fileSystem = InMemoryFileSystem()
        let store = try await open("/store", in: fileSystem)
        try await store.put("key", "1")
        try await store.compact()
        try removeAll("/store", in: fileSystem, suffix: ".snapshot")
        expectMissing(await expectError(.inputOutput) { try await store.close() }, ".snapshot")
    }

    /// Nothing was written since the last snapshot, so the new one has its name; a view keeps the old file open.
    @Test(arguments: systems)
    func aReplacedSnapshotIsNotReported(make: @Sendable () -> any FileSystem) async throws {
        let fileSystem = make()
        let path = storePath(fileSystem)
        let clock = ManualClock(milliseconds: 1_000)
        let store = try await open(path, in: fileSystem) { $0.clock = clock }
        try await store.put("stays", "1")
        try await store.put("goes", "1", expires: .at(Timestamp(milliseconds: 2_000)))
        try await store.compact()
        let view = try store.readView()
        clock.set(3_000)
        try await store.compact()
        let names = try fileSystem.contents(ofDirectory: path)
        #expect(names.filter { $0.hasSuffix(".snapshot") }.count == 1)
        #expect(try view.get("stays") != nil)
        try await store.close()
    }

    /// In a file system that binds no directory. The files still have names, in another directory.
    @Test(arguments: systems.dropLast(), [false, true])
    func aMovedDirectoryIsReported(make: @Sendable () -> any FileSystem, isReplaced: Bool) async throws {
        let fileSystem = make()
        var store = try await open("/store", in: fileSystem)
        try await store.put("before", "1")
        try fileSystem.rename("/store", to: "/moved")
        if isReplaced {
            let other = try await open("/store", in: fileSystem)
            try await other.put("other", "1")
            try await other.close()
        }
        try await store.put("after", "1")
        expectMissing(await expectError(.inputOutput) { try await store.close() }, "01.log")
        // All writes are in the moved directory.
        store = try await open("/moved", in: fileSystem)
        #expect(try store.get("after") != nil)
        try await store.close()
    }

    /// The next segment must not be created in the other directory.
    @Test func aRotationWritesNothingIntoAnotherDirectory() async throws {
        let fileSystem = InMemoryFileSystem()
        let store = try await open("/store", in: fileSystem)
        try await store.put("before", "1")
        try fileSystem.rename("/store", to: "/moved")
        let other = try await open("/store", in: fileSystem)
        try await other.put("other", "1")
        try await other.close()
        let names = try fileSystem.contents(ofDirectory: "/store").filter { $0.hasSuffix(".log") }
        await expectError(.failed) {
            for number in 0..<20 { try await store.put("key-\(number)", [UInt8](repeating: 7, count: 10_000)) }
        }
        #expect(store.state == .failed)
        #expect(try fileSystem.contents(ofDirectory: "/store").filter { $0.hasSuffix(".log") } == names)
        await expectError(.failed) { try await store.close() }
    }

    /// Files that compaction and retention remove are not reported.
    @Test func filesThatCompactionRemovesAreNotReported() async throws {
        let fileSystem = InMemoryFileSystem()
        let store = try await open("/store", in: fileSystem) {
            $0.compaction = CompactionPolicy()
            $0.compaction.minimumLogBytes = 100_000
        }
        for number in 0..<2_000 {
            try await store.put("key-\(number % 50)", [UInt8](repeating: 7, count: 5_000), durability: .written)
        }
        try await store.compact()
        #expect(store.state == .ready)
        try await store.close()
    }
}
