/// `fillsync`, `fillseq`, `fillrandom`, `fillbatch`, `overwrite`, `deleterandom`: workers put or remove, each in its
/// own range of keys.
struct Writing: Sendable {
    enum Kind: Sendable {
        /// Every key once, into an empty store; repeated with another store until the time is over.
        case fill
        /// Every key of an empty store, repeatedly, until the time is over.
        case endless
        /// Random keys of a filled store, until the time is over.
        case overwrite
        /// Every key of a filled store once.
        case remove
    }

    var kind: Kind
    /// Pairs per write.
    var batch = 1
    /// Time limit of a fill, as a multiple of the time of a run.
    var patience: UInt64 = 3
    /// Whether the disk space is measured after compaction.
    var measuresDisk = false

    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        var total = try await measureOnce(engine, cell, at: cell.spec.store, isChecked: true)
        while kind == .fill, total.seconds < cell.row.seconds {
            total.add(try await measureOnce(engine, cell, at: cell.newDirectory("fill"), isChecked: false))
        }
        return total
    }

    private func measureOnce<E: Engine>(
        _ engine: E, _ cell: Cell, at path: String, isChecked: Bool
    ) async throws -> Measured {
        let database = try await engine.open(at: path, for: cell.row.use)
        let sessions = try (0..<cell.workers).map { _ in try database.session() }
        let team = Team(cell.workers, onThreads: engine.runsOnThreads)
        let before = ProcessUse.now
        let start = Ticks.now
        let watches = try await team.run { worker in
            let (session, walk, watch) = (sessions[worker], walk(cell, worker), stopwatch(cell, worker, since: start))
            if kind == .remove { return try await Loops.remove(session, walk, cell.data, watch) }
            guard batch == 1 else { return try await Loops.write(batch, session, walk, cell.data, watch) }
            return try await Loops.put(session, walk, cell.data, watch)
        }
        var measured = Measured(watches, since: start, bytesEach: cell.data.pairBytes * batch, batch: batch)
        // Large commits aren't written through the mapping, so there is no figure where a mapping was used.
        measured.note(ProcessUse.now, since: before, mapped: database.mappedBytes == 0 ? 0 : nil)
        measured.noteHeartwood(database)
        if kind == .fill {
            measured.figures[.done] = Double(measured.operations) / Double(cell.data.keyCount)
            measured.figures[.nanosecondsPerRecord] = measured.seconds * 1e9 / Double(max(1, measured.operations))
        }
        team.disband()
        sessions.forEach { $0.end() }
        if measuresDisk {
            try await database.compactAll()
            try await database.settle()
            let payload = Double(measured.operations * cell.data.pairBytes)
            measured.figures[.diskBytesPerPayloadByte] = Double(try await DiskUse.settledBytes(of: path)) / payload
        }
        try await database.close()
        if isChecked, !(engine is RawEngine) {
            var expected = ExpectedContents(cell.data, isFilled: kind == .overwrite || kind == .remove)
            for (worker, watch) in watches.enumerated() {
                expected.apply(walk(cell, worker), times: watch.count * batch, removing: kind == .remove)
            }
            try await engine.check(expected, at: path, cell.row.use)
        }
        return measured
    }

    private func stopwatch(_ cell: Cell, _ worker: Int, since start: UInt64) -> Stopwatch {
        let interval = batch == 1 ? cell.interval : 1
        guard kind == .fill || kind == .remove else { return cell.stopwatch(since: start, interval: interval) }
        let range = KeyWalk.range(of: worker, of: cell.workers, in: cell.data.keyCount)
        return Stopwatch(
            deadline: start + patience * cell.nanoseconds, limit: max(1, range.count / batch), interval: interval)
    }

    private func walk(_ cell: Cell, _ worker: Int) -> KeyWalk {
        kind == .overwrite ? cell.randomWalk(worker) : cell.walk(worker)
    }
}

/// `compaction-latency`: workers overwrite random keys of a full store at a fixed rate, whether the engine keeps up or
/// not, while the engine compacts with its default settings. Latency counts from the time at which a write was due.
enum PacedWriting {
    /// - Parameter rate: Writes per second of all workers together.
    static func measure<E: Engine>(_ engine: E, _ cell: Cell, rate: Int) async throws -> Measured {
        let (measured, parts) = try await engine.withSessions(cell) { sessions, database in
            // A worker sleeps until its next write is due, so each worker of each engine has a thread.
            let team = Team(cell.workers, onThreads: true)
            let before = ProcessUse.now
            let start = Ticks.now
            let parts = try await team.run { worker in
                let pace = Pace(
                    rate: rate, worker: worker, of: cell.workers, nanoseconds: cell.nanoseconds, since: start)
                return try await pace.put(sessions[worker], cell.randomWalk(worker), cell.data)
            }
            team.disband()
            var all = parts[0]
            for part in parts.dropFirst() { all.add(part) }
            var measured = Measured(paced: all, since: start, bytesEach: cell.data.pairBytes)
            measured.note(ProcessUse.now, since: before, mapped: database.mappedBytes)
            measured.noteHeartwood(database)
            return (measured, parts)
        }
        if measured.figures[.compactions] == 0 {
            throw WrongResult("no compaction was completed while it was measured: use longer runs (--seconds)")
        }
        try await engine.check(cell, afterWalks: parts.enumerated().map { (cell.randomWalk($0), $1.count) })
        return measured
    }
}

/// `write-amplification`, `space-amplification`: one worker overwrites random keys of a full store, ten puts per key.
/// Measured are the bytes that are written for it, and the disk space.
struct Amplifying: Sendable {
    /// Puts per key.
    var rounds = 10
    /// Seconds after which engines that write pages in place stop: there the cost of a write doesn't depend on how many
    /// writes came before. Where logs and tables are merged, it does.
    var patience: Double

    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let database = try await engine.open(at: cell.spec.store, for: cell.row.use)
        let session = try database.session()
        let puts = cell.data.keyCount * rounds
        let before = ProcessUse.now
        let ((start, watch), peak) = try await DiskUse.peak(of: cell.spec.store) {
            let start = Ticks.now
            let watches = try await Team.run(1, onThreads: engine.runsOnThreads) { _ in
                let deadline = cell.spec.engine.hasOneWriter ? start + UInt64(patience * 1e9) : .max
                let watch = Stopwatch(deadline: deadline, limit: puts, interval: cell.interval)
                return try await Loops.put(session, cell.randomWalk(), cell.data, watch)
            }
            return (start, watches[0])
        }
        var measured = Measured([watch], since: start, bytesEach: cell.data.pairBytes)
        measured.figures[.done] = Double(watch.count) / Double(puts)
        // Deferred work belongs to these writes too.
        try await database.settle()
        let remaining = try await DiskUse.settledBytes(of: cell.spec.store)
        measured.note(ProcessUse.now, since: before, mapped: database.mappedBytes)
        measured.noteHeartwood(database)
        let live = Double(cell.data.keyCount * cell.data.pairBytes)
        measured.figures[.peakSpaceAmplification] = Double(max(peak, remaining)) / live
        measured.figures[.spaceAmplification] = Double(remaining) / live
        try await database.compactAll()
        try await database.settle()
        let compacted = try await DiskUse.settledBytes(of: cell.spec.store)
        measured.figures[.compactedSpaceAmplification] = Double(compacted) / live
        session.end()
        try await database.close()
        try await engine.check(cell, afterWalks: [(cell.randomWalk(), watch.count)])
        return measured
    }
}

/// `readwhilewriting`: a thread gets random keys while another worker overwrites keys, both as fast as possible. The
/// gets are counted; the writer's rate is a further figure.
enum ReadingWhileWriting {
    static func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let walk = cell.randomWalk(of: 1)
        let (start, read, written) = try await engine.withSessions(cell, 2) { sessions, _ in
            let start = Ticks.now
            async let writing = Team.run(1, onThreads: engine.runsOnThreads) { _ in
                try await Loops.put(sessions[0], walk, cell.data, cell.stopwatch(since: start))
            }
            async let reading = Team.run(1, onThreads: true) { _ in
                try Loops.get(sessions[1], cell.data, seed: cell.seed(1), cell.stopwatch(since: start))
            }
            return (start, try await reading[0], try await writing[0])
        }
        var measured = Measured([read.watch], since: start, bytesEach: cell.data.pairBytes)
        measured.figures[.besidePerSecond] = Double(written.count) / Ticks.seconds(from: start, to: written.end)
        guard read.found == read.watch.count, read.bytes == read.found * cell.data.valueBytes else {
            throw WrongResult("\(read.found) of \(read.watch.count) keys were found, with \(read.bytes) bytes")
        }
        try await engine.check(cell, afterWalks: [(walk, written.count)])
        return measured
    }
}
