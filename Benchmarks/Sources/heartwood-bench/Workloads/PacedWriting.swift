/// Workers that overwrite random keys of a full store at a rate that is offered, whether the engine keeps up or not,
/// while it compacts as it comes: `compaction-latency`. Each write counts from the moment at which it was due.
struct PacedWriting: Sendable {
    /// Writes a second, of all workers together.
    var rate: Int

    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let database = try await engine.open(at: cell.store, for: cell.row.use)
        let sessions = try (0..<cell.workers).map { _ in try database.session() }
        // Whoever waits for the next moment sleeps, so each worker of each engine has a thread.
        let team = Team(cell.workers, onThreads: true)
        let before = ProcessUse.now
        let start = Ticks.now
        let parts = try await team.run { worker in
            let pace = Pace(
                rate: rate, worker: worker, of: cell.workers, nanoseconds: cell.nanoseconds, since: start)
            return try await Self.put(sessions[worker], walk(cell, worker), cell.data, pace)
        }
        team.disband()
        var all = parts[0]
        for part in parts.dropFirst() { all.add(part) }
        var measured = Measured(paced: all, since: start, bytesEach: cell.data.pairBytes)
        measured.note(ProcessUse.now, since: before)
        measured.noteHeartwood(database)
        sessions.forEach { $0.end() }
        try await database.close()
        if !(engine is RawEngine) { try await check(engine, cell, parts.map(\.count)) }
        return measured
    }

    private func walk(_ cell: Cell, _ worker: Int) -> KeyWalk {
        KeyWalk(
            .anyKey(seed: cell.seed(worker)),
            KeyWalk.range(of: worker, of: cell.workers, in: cell.data.keyCount),
            valueCount: cell.data.values.count, round: 1)
    }

    private static func put<S: Session>(
        _ session: S, _ walk: KeyWalk, _ data: Dataset, _ pace: Pace
    ) async throws -> Pace.Steps {
        var walk = walk
        let (keys, values) = (data.keys(), data.values)
        var key = keys.makeBuffer()
        return try await pace.steps {
            walk.advance()
            keys.write(walk.number, to: &key)
            try await session.put(key, values[walk.value])
        }
    }

    private func check<E: Engine>(_ engine: E, _ cell: Cell, _ counts: [Int]) async throws {
        var expected = ExpectedContents(cell.data, isFilled: true)
        for (worker, count) in counts.enumerated() {
            var walk = walk(cell, worker)
            for _ in 0..<count {
                walk.advance()
                expected.put(walk.number, walk.value)
            }
        }
        try await Checking.check(expected, engine, at: cell.store, cell.row.use)
    }
}
