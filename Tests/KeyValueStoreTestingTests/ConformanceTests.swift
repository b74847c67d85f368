import Foundation
import Heartwood
import HeartwoodFileSystem
import HeartwoodTesting
import KeyValueStore
import KeyValueStoreTesting
import Testing

/// The engines of this package pass the suite. Each check has its own clock.
@Suite struct ConformanceTests {
    @Test(arguments: ConformanceCheck.all)
    func storeOnDisk(_ check: ConformanceCheck) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await expectPass(check, .store("Store", in: POSIXFileSystem(), at: directory.path))
    }

    @Test(arguments: ConformanceCheck.all)
    func storeOnSimulatedDisk(_ check: ConformanceCheck) async throws {
        try await expectPass(check, .store("Store on a simulated disk", in: SimulatedDisk(seed: 1), at: ""))
    }

    @Test(arguments: ConformanceCheck.all)
    func storeInMemory(_ check: ConformanceCheck) async throws {
        let outcome = try await check.run(on: .inMemory())
        #expect(outcome == .passed || outcome == .skipped("a store that can be opened again"))
    }

    @Test(arguments: ConformanceCheck.all)
    func gentleConstrainedStore(_ check: ConformanceCheck) async throws {
        try await expectPass(check, .constrained("ConstrainedStore, gentle", .gentle))
    }

    @Test(arguments: ConformanceCheck.all)
    func roughConstrainedStore(_ check: ConformanceCheck) async throws {
        try await expectPass(check, .constrained("ConstrainedStore, rough", .rough))
    }

    @Test func namesOfChecksAreUnique() {
        #expect(Set(ConformanceCheck.all.map(\.name)).count == ConformanceCheck.all.count)
    }

    private func expectPass(_ check: ConformanceCheck, _ subject: KeyValueStoreConformance.Subject) async throws {
        #expect(try await check.run(on: subject) == .passed)
    }
}
