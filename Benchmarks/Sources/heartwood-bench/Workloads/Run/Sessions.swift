extension Engine {
    /// Opens the store of a cell with some sessions, and closes it after `body`.
    ///
    /// - Parameter count: How many sessions; by default one for each worker.
    func withSessions<R>(
        _ cell: Cell, _ count: Int? = nil, _ body: ([Opened.Session], Opened) async throws -> R
    ) async throws -> R {
        let database = try await open(at: cell.spec.store, for: cell.row.use)
        let sessions = try (0..<(count ?? cell.workers)).map { _ in try database.session() }
        let result = try await body(sessions, database)
        sessions.forEach { $0.end() }
        try await database.close()
        return result
    }

    /// Opens a store again and compares its contents with what must be there.
    ///
    /// - Throws: `WrongResult`.
    func check(_ expected: ExpectedContents, at path: String, _ use: EngineUse) async throws {
        let database = try await open(at: path, for: use)
        let session = try database.session()
        try expected.check(session)
        session.end()
        try await database.close()
    }

    /// Checks the filled store of a cell after the puts of random walks.
    func check(_ cell: Cell, afterWalks walks: [(walk: KeyWalk, puts: Int)]) async throws {
        var expected = ExpectedContents(cell.data, isFilled: true)
        for (walk, puts) in walks { expected.apply(walk, times: puts) }
        try await check(expected, at: cell.spec.store, cell.row.use)
    }
}
