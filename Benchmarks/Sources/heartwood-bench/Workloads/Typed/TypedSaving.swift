/// `typed-save`: workers save random cities with another population, each in its own range of numbers.
struct TypedSaving: Sendable {
    /// Cities per save.
    var batch = 1

    /// More than the changes of a city that a run makes.
    private static let changes = 1_000_003

    func measure<E: RecordEngine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let isAlone = cell.workers == 1 && engine.prefersThreads
        let database = try await engine.open(at: cell.store, cell.row.use.promise, blocks: isAlone)
        let team = Team(cell.workers, onThreads: isAlone)
        let before = ProcessUse.now
        let start = Ticks.now
        let watches = try await team.run { worker in
            let watch = Stopwatch(deadline: start + cell.nanoseconds, interval: batch == 1 ? cell.interval : 1)
            return try await save(database, Self.walk(cell, worker), cell.cities, watch)
        }
        var measured = Measured(watches, since: start, bytesEach: City.jsonBytes * batch)
        measured.operations *= batch
        measured.note(ProcessUse.now, since: before, mapped: nil)
        team.disband()
        try await database.close()
        try await check(engine, cell, watches)
        return measured
    }

    private static func walk(_ cell: Cell, _ worker: Int) -> KeyWalk {
        KeyWalk(
            .random(seed: cell.seed(worker)), KeyWalk.range(of: worker, of: cell.workers, in: cell.info.keys),
            valueCount: changes, round: 1)
    }

    @inline(__always)
    private func save(
        _ database: some RecordDatabase, _ walk: KeyWalk, _ cities: Cities, _ watch: Stopwatch
    ) async throws -> Stopwatch {
        var (walk, watch) = (walk, watch)
        while true {
            let group = watch.next()
            if group == 0 { break }
            for step in 0..<group {
                if batch == 1 {
                    walk.advance()
                    try await database.save(cities.city(walk.number, change: walk.value))
                } else {
                    try await database.save(
                        (0..<batch).map { _ in
                            walk.advance()
                            return cities.city(walk.number, change: walk.value)
                        })
                }
                if step == 0 { watch.lap() }
            }
        }
        watch.stop()
        return watch
    }

    /// Opens the store again, and compares all records and some queries with what was saved.
    private func check<E: RecordEngine>(_ engine: E, _ cell: Cell, _ watches: [Stopwatch]) async throws {
        var expected = ExpectedCities(cell.cities)
        for (worker, watch) in watches.enumerated() {
            var walk = Self.walk(cell, worker)
            for _ in 0..<watch.count * batch {
                walk.advance()
                expected.save(walk.number, change: walk.value)
            }
        }
        let database = try await engine.open(at: cell.store, cell.row.use.promise, blocks: false)
        try await expected.check(database)
        try await database.close()
    }
}
