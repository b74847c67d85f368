import Heartwood
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// What the fault campaign found: one test a bug, named after what went wrong.
@Suite struct SimulatedFaultTests {
    private func configuration(_ disk: SimulatedDisk) -> Store.Configuration {
        var configuration = Store.Configuration()
        configuration.fileSystem = disk
        return configuration
    }

    /// The first opening made the directory and couldn't make it durable; the second found it and thought no more of
    /// it.
    @Test func aDirectoryThatAFailedOpeningMadeIsLostWithTheWritesInIt() async throws {
        let disk = SimulatedDisk()
        disk.inject(Fault(.syncDirectory, .error(ErrorNumber.EIO)))
        await #expect(throws: StoreError.self) {
            _ = try await Store.open(at: "/data/store", configuration: configuration(disk))
        }
        disk.heal()
        let store = try await Store.open(at: "/data/store", configuration: configuration(disk))
        try await store.put("key", "value")
        let trace = disk.trace
        let crash = trace.crash(CrashState(events: trace.events.count, losses: .everything))
        let after = try await Store.open(
            at: "/data/store", configuration: configuration(SimulatedDisk(image: crash.image)))
        #expect(try after.get("key") == Array("value".utf8))
    }

    /// A directory above that may not be read can't be synced; that alone is no reason to refuse.
    @Test func aParentThatIsNotOursToReadDoesNotRefuseAStoreThatIsThere() async throws {
        var image = DiskImage()
        image.makeDirectory("/data/store")
        let disk = SimulatedDisk(image: image)
        disk.inject(Fault(.syncDirectory, .error(ErrorNumber.EACCES), path: "/data", times: .max))
        let store = try await Store.open(at: "/data/store", configuration: configuration(disk))
        try await store.put("key", "value")
        try await store.close()
    }

    /// The buffered write was accepted, writing it failed, and the close said that all was well.
    @Test func closingAFailedStoreSaysNothingOfLostWrites() async throws {
        let disk = SimulatedDisk()
        let store = try await Store.open(at: "/store", configuration: configuration(disk))
        try await store.put("first", "value")
        store.settle()
        disk.inject(Fault(.write, .error(ErrorNumber.EIO)))
        try await store.put("second", "value", durability: .buffered)
        while store.state == .ready { try await Task.sleep(for: .milliseconds(1)) }
        let error = await #expect(throws: StoreError.self) { try await store.close() }
        #expect(error?.code == .failed)
        #expect(store.state == .closed)
        let after = try await Store.open(at: "/store", configuration: configuration(disk))
        #expect(try after.contains("first"))
        #expect(try !after.contains("second"))
    }
}
