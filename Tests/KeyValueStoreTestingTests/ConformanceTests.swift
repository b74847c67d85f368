import Foundation
import KeyValueStoreTesting
import Testing

/// The engines of this package pass the suite. Each check has its own clock.
@Suite struct ConformanceTests {
    @Test(arguments: Engine.allCases, ConformanceCheck.all)
    func passes(_ engine: Engine, _ check: ConformanceCheck) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let outcome = try await check.run(on: .init(engine, in: directory.path))
        let mayBeSkipped = engine == .storeInMemory
        #expect(outcome == .passed || mayBeSkipped && outcome == .skipped("a store that can be opened again"))
    }

    @Test func namesOfChecksAreUnique() {
        #expect(Set(ConformanceCheck.all.map(\.name)).count == ConformanceCheck.all.count)
    }
}
