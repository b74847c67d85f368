import Foundation
import Testing

@testable import heartwood_bench

struct RecordEngineTests {
    private static let engines = [EngineID.heartwood, .grdb, .jsonFile, .jsonFileSynced].filter(\.isBuilt)

    /// Fills a database, saves changes, opens it again and compares everything.
    ///
    /// - Parameter isWrong: Whether a save is left out of what is expected.
    private static func exercise(_ engine: some RecordEngine, at path: String, isWrong: Bool) async throws {
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

    private func exercise(_ id: EngineID, isWrong: Bool) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("records-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        let engine = try #require(id.subject(for: .typed(.save(batch: 1))) as? any RecordEngine)
        try await Self.exercise(engine, at: url.path, isWrong: isWrong)
    }

    @Test(arguments: engines)
    func recordsAreKept(_ engine: EngineID) async throws {
        try await exercise(engine, isWrong: false)
    }

    @Test(arguments: engines)
    func aMissingSaveIsNoticed(_ engine: EngineID) async throws {
        await #expect(throws: WrongResult.self) { try await exercise(engine, isWrong: true) }
    }
}
