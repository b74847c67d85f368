/// `write-amplification`, `space-amplification`: one worker overwrites random keys of a full store, ten puts per key.
/// Measured are the bytes that are written for it, and the disk space.
struct Amplifying: Sendable {
    /// Puts per key.
    var rounds = 10
    /// Seconds after which engines that write pages in place stop: there the cost of a write doesn't depend on how many
    /// writes came before. Where logs and tables are merged, it does.
    var patience: Double

    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let database = try await engine.open(at: cell.store, for: cell.row.use)
        let session = try database.session()
        let puts = cell.data.keyCount * rounds
        let before = ProcessUse.now
        let ((start, watch), peak) = try await DiskUse.peak(of: cell.store) {
            let start = Ticks.now
            let watches = try await Team.run(1, onThreads: engine.runsOnThreads) { _ in
                let isLimited = engine.id.hasOneWriter
                let watch = Stopwatch(
                    deadline: isLimited ? start + UInt64(patience * 1e9) : .max, limit: puts, interval: cell.interval)
                return try await Writing.put(session, walk(cell), cell.data, watch)
            }
            return (start, watches[0])
        }
        var measured = Measured([watch], since: start, bytesEach: cell.data.pairBytes)
        measured.figures[.done] = Double(watch.count) / Double(puts)
        // Deferred work belongs to these writes too.
        try await database.settle()
        let remaining = try await DiskUse.settledBytes(of: cell.store)
        measured.note(ProcessUse.now, since: before, mapped: database.mappedBytes)
        measured.noteHeartwood(database)
        let live = Double(cell.data.keyCount * cell.data.pairBytes)
        measured.figures[.peakSpaceAmplification] = Double(max(peak, remaining)) / live
        measured.figures[.spaceAmplification] = Double(remaining) / live
        try await database.compactAll()
        try await database.settle()
        measured.figures[.compactedSpaceAmplification] = Double(try await DiskUse.settledBytes(of: cell.store)) / live
        session.end()
        try await database.close()
        try await Checking.check(engine, cell, after: [(walk(cell), watch.count)])
        return measured
    }

    private func walk(_ cell: Cell) -> KeyWalk {
        KeyWalk(.random(seed: cell.seed(0)), 0..<cell.data.keyCount, valueCount: cell.data.values.count, round: 1)
    }
}
