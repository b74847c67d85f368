// The example of a documentation comment in Sources/HeartwoodTesting/Disk/SimulatedDisk.swift, with the spacing that it
// has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodTesting

func diskExample() async throws {
    let disk = SimulatedDisk(seed: 7)
    var configuration = Store.Configuration()
    configuration.storage = disk.storage
    let store = try await Store.open(at: "/store", configuration: configuration)
    let sequence = try await store.put("key", "value")
    disk.note(sequence)                                      // from here on it must survive

    let next = SimulatedDisk(image: disk.crash().image)
    _ = next
}
