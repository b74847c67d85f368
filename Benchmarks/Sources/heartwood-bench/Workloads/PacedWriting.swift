/// `compaction-latency`: workers overwrite random keys of a full store at a fixed rate, whether the engine keeps up or
/// not, while the engine compacts with its default settings. Latency counts from the time at which a write was due.
struct PacedWriting: Sendable {
    /// Writes per second of all workers together.
    var rate: Int

    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let database = try await engine.open(at: cell.store, for: cell.row.use)
        let sessions = try (0..<cell.workers).map { _ in try database.session() }
        // A worker sleeps until its next write is due, so each worker of each engine has a thread.
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
        measured.note(ProcessUse.now, since: before, mapped: database.mappedBytes)
        measured.noteHeartwood(database)
        sessions.forEach { $0.end() }
        try await database.close()
        if measured.figures[.compactions] == 0 {
            throw WrongResult("no compaction was completed while it was measured: use longer runs (--seconds)")
        }
        try await Checking.check(engine, cell, after: parts.enumerated().map { (walk(cell, $0), $1.count) })
        return measured
    }

    private func walk(_ cell: Cell, _ worker: Int) -> KeyWalk {
        KeyWalk(
            .random(seed: cell.seed(worker)),
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
}
