import Heartwood
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// Regression tests for errors found by the fault campaign.
@Suite struct SimulatedFaultTests {
    private func open(_ path: String, _ disk: SimulatedDisk) async throws -> Store {
        try await Store.open(at: path, configuration: Store.Configuration(in: disk))
    }

    /// The first opening creates the directory and fails to sync its parent; the second must sync it.
    @Test func aDirectoryThatAFailedOpeningCreatedIsSynced() async throws {
        let disk = SimulatedDisk()
        disk.inject(Fault(.syncDirectory, .error(ErrorNumber.EIO)))
        await #expect(throws: StoreError.self) { _ = try await open("/data/store", disk) }
        disk.heal()
        let store = try await open("/data/store", disk)
        try await store.put("key", "value")
        let trace = disk.trace
        let crash = trace.crash(CrashState(events: trace.events.count, losses: .everything))
        let after = try await open("/data/store", SimulatedDisk(image: crash.image))
        #expect(try after.get("key") == Array("value".utf8))
    }

    /// A parent directory without read permission can't be synced; the store opens anyway.
    @Test func aStoreOpensAlthoughItsParentIsUnreadable() async throws {
        var image = DiskImage()
        image.makeDirectory("/data/store")
        let disk = SimulatedDisk(image: image)
        disk.inject(Fault(.syncDirectory, .error(ErrorNumber.EACCES), path: "/data", times: .max))
        let store = try await open("/data/store", disk)
        try await store.put("key", "value")
        try await store.close()
    }

    /// A buffered write is accepted, and writing it fails: the close must report it.
    @Test func closingAFailedStoreReportsLostWrites() async throws {
        let disk = SimulatedDisk()
        let store = try await open("/store", disk)
        try await store.put("first", "value")
        store.settle()
        disk.inject(Fault(.write, .error(ErrorNumber.EIO)))
        try await store.put("second", "value", durability: .buffered)
        while store.state == .ready { try await Task.sleep(for: .milliseconds(1)) }
        let error = await #expect(throws: StoreError.self) { try await store.close() }
        #expect(error?.code == .failed)
        #expect(store.state == .closed)
        let after = try await open("/store", disk)
        #expect(try after.contains("first"))
        #expect(try !after.contains("second"))
    }
}
