/// Opens stores again and looks whether they have what they must.
enum Checking {
    /// - Throws: `WrongResult`.
    static func check<E: Engine>(
        _ expected: ExpectedContents, _ engine: E, at path: String, _ use: EngineUse
    ) async throws {
        let database = try await engine.open(at: path, for: use)
        let session = try database.session()
        try expected.check { visit in try session.scan(from: nil, visit) }
        session.end()
        try await database.close()
    }
}
