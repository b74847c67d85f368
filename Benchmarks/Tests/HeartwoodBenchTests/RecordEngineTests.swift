import Foundation
import Testing

@testable import heartwood_bench

struct RecordEngineTests {
    private static let engines = [EngineID.heartwood, .grdb, .jsonFile, .jsonFileSynced].filter(\.isBuilt)

    /// Fills a database, saves changes, opens it again and compares everything.
    private struct Exercise: RecordEngineVisitor {
        let path: String
        /// Whether a save is left out of what is expected.
        let isWrong: Bool

        func visit<E: RecordEngine>(_ engine: E) async throws {
            let cities = Cities(count: 2_000, seed: 1)
            var expected = ExpectedCities(cities)
            let database = try await engine.open(at: path, .survivesPowerLoss, blocks: false)
            try await database.fill(cities)
            for number in 0..<10 {
                try await database.save(cities.city(number, change: 5))
                expected.save(number, change: 5)
            }
            try await database.save((5..<50).map { cities.city($0, change: 6) })
            for number in 5..<(isWrong ? 49 : 50) { expected.save(number, change: 6) }
            try await database.close()
            let reopened = try await engine.open(at: path, .survivesPowerLoss, blocks: true)
            #expect(try await reopened.find(cities.id(7)) == expected.city(7))
            #expect(try await reopened.find(cities.id(2_000)) == nil)
            try await expected.check(reopened)
            try await reopened.close()
        }
    }

    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("records-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        try await body(url.path)
    }

    @Test(arguments: engines)
    func recordsAreKept(_ engine: EngineID) async throws {
        try await withDirectory { try await engine.acceptRecords(Exercise(path: $0, isWrong: false)) }
    }

    @Test(arguments: engines)
    func aMissingSaveIsNoticed(_ engine: EngineID) async throws {
        try await withDirectory { path in
            await #expect(throws: WrongResult.self) {
                try await engine.acceptRecords(Exercise(path: path, isWrong: true))
            }
        }
    }
}
