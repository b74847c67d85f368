/// One worker that overwrites random keys of a full store, ten times as many as there are: what is written for it and
/// how much room it takes: `write-amplification`, `space-amplification`.
struct Amplifying: Sendable {
    /// Puts for each key.
    var rounds = 10
    /// Seconds after which it is ended for engines that write pages in place: what one write costs there doesn't depend
    /// on how many there were, as it does where logs and tables are merged.
    var patience: Double

    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let database = try await engine.open(at: cell.store, for: cell.row.use)
        let session = try database.session()
        let puts = cell.data.keyCount * rounds
        let before = ProcessUse.now
        let ((start, watch), peak) = try await DiskUse.peak(of: cell.store) {
            let start = Ticks.now
            let watches = try await Team.run(1, onThreads: engine.runsOnThreads) { _ in
                let isEnded = engine.id.hasOneWriter
                let watch = Stopwatch(
                    deadline: isEnded ? start + UInt64(patience * 1e9) : .max, limit: puts, interval: cell.interval)
                return try await Writing.put(session, walk(cell), cell.data, watch)
            }
            return (start, watches[0])
        }
        var measured = Measured([watch], since: start, bytesEach: cell.data.pairBytes)
        measured.figures[.done] = Double(watch.count) / Double(puts)
        // What it has put off belongs to these writes too.
        try await database.settle()
        let left = try await DiskUse.settledBytes(of: cell.store)
        measured.note(ProcessUse.now, since: before)
        measured.noteHeartwood(database)
        let live = Double(cell.data.keyCount * cell.data.pairBytes)
        measured.figures[.peakSpaceAmplification] = Double(max(peak, left)) / live
        measured.figures[.spaceAmplification] = Double(left) / live
        try await database.compactAll()
        try await database.settle()
        measured.figures[.compactedSpaceAmplification] = Double(try await DiskUse.settledBytes(of: cell.store)) / live
        session.end()
        try await database.close()
        if !(engine is RawEngine) { try await check(engine, cell, watch.count) }
        return measured
    }

    private func walk(_ cell: Cell) -> KeyWalk {
        KeyWalk(.anyKey(seed: cell.seed(0)), 0..<cell.data.keyCount, valueCount: cell.data.values.count, round: 1)
    }

    private func check<E: Engine>(_ engine: E, _ cell: Cell, _ count: Int) async throws {
        var expected = ExpectedContents(cell.data, isFilled: true)
        var walk = walk(cell)
        for _ in 0..<count {
            walk.advance()
            expected.put(walk.number, walk.value)
        }
        try await Checking.check(expected, engine, at: cell.store, cell.row.use)
    }
}
