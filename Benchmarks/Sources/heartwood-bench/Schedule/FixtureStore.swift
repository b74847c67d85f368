/// The fixtures that exist: made on first use, and kept while later runs need them.
struct FixtureStore {
    let directory: WorkDirectory
    let parameters: Parameters
    private var paths: [String: String] = [:]

    init(directory: WorkDirectory, parameters: Parameters) {
        self.directory = directory
        self.parameters = parameters
    }

    /// The fixture of a row for an engine.
    mutating func path(_ row: Row, _ engine: EngineID) async throws -> String {
        guard let fixture = row.fixture else { throw UnknownName(row.id, "fixture of the row", []) }
        let name = fixture.name(engine)
        if let path = paths[name] { return path }
        let path = directory.newPath(name)
        let scratch = directory.newPath("scratch")
        try directory.make(path)
        try directory.make(scratch)
        defer { try? directory.remove(scratch) }
        let spec = CellSpec(
            action: .makeFixture, engine: engine, parameters: parameters, row: row.id, run: 0, store: path,
            scratch: scratch)
        try await ChildCell.makeFixture(spec, isKilled: fixture.isKilled, seconds: PlanTime.fixtureLimit(row))
        paths[name] = path
        return path
    }

    /// Deletes fixtures that none of the remaining runs needs.
    mutating func removeUnneeded(_ remaining: [(Row, EngineID)]) {
        let needed = Set(remaining.compactMap { row, engine in row.fixture?.name(engine) })
        for (name, path) in paths where !needed.contains(name) {
            try? directory.remove(path)
            paths[name] = nil
        }
    }
}
