/// Opens a store again and compares its contents with what must be there.
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

    /// Checks the filled store of a cell after the puts of these walks.
    static func check<E: Engine>(_ engine: E, _ cell: Cell, after walks: [(walk: KeyWalk, puts: Int)]) async throws {
        var expected = ExpectedContents(cell.data, isFilled: true)
        for (walk, puts) in walks {
            var walk = walk
            for _ in 0..<puts {
                walk.advance()
                expected.put(walk.number, walk.value)
            }
        }
        try await check(expected, engine, at: cell.store, cell.row.use)
    }
}
