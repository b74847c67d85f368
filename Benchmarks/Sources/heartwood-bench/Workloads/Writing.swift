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
        var total = try await measureOnce(engine, cell, at: cell.store, isChecked: true)
        if case .fill = kind {
            while total.seconds < cell.row.seconds {
                total.add(try await measureOnce(engine, cell, at: cell.newDirectory("fill"), isChecked: false))
            }
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
            let watch = stopwatch(cell, worker, since: start)
            let walk = walk(cell, worker)
            if case .remove = kind { return try await Self.remove(sessions[worker], walk, cell.data, watch) }
            guard batch == 1 else { return try await Self.write(batch, sessions[worker], walk, cell.data, watch) }
            return try await Self.put(sessions[worker], walk, cell.data, watch)
        }
        var measured = Measured(watches, since: start, bytesEach: cell.data.pairBytes)
        measured.operations *= batch
        measured.bytes *= UInt64(batch)
        // Large commits aren't written through the mapping, so there is no figure where a mapping was used.
        measured.note(ProcessUse.now, since: before, mapped: database.mappedBytes == 0 ? 0 : nil)
        measured.noteHeartwood(database)
        if case .fill = kind {
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
        if isChecked, !(engine is RawEngine) { try await check(engine, cell, at: path, watches) }
        return measured
    }

    private func stopwatch(_ cell: Cell, _ worker: Int, since start: UInt64) -> Stopwatch {
        let range = KeyWalk.range(of: worker, of: cell.workers, in: cell.data.keyCount)
        let interval = batch == 1 ? cell.interval : 1
        switch kind {
        case .fill, .remove:
            return Stopwatch(
                deadline: start + patience * cell.nanoseconds, limit: max(1, range.count / batch),
                interval: interval)
        case .endless, .overwrite:
            return Stopwatch(deadline: start + cell.nanoseconds, interval: interval)
        }
    }

    private func walk(_ cell: Cell, _ worker: Int) -> KeyWalk {
        let range = KeyWalk.range(of: worker, of: cell.workers, in: cell.data.keyCount)
        let count = cell.data.values.count
        switch kind {
        case .fill, .endless, .remove: return KeyWalk(.sequential, range, valueCount: count)
        case .overwrite: return KeyWalk(.random(seed: cell.seed(worker)), range, valueCount: count, round: 1)
        }
    }

    /// Opens the store again, and compares all records with what the walks put.
    private func check<E: Engine>(_ engine: E, _ cell: Cell, at path: String, _ watches: [Stopwatch]) async throws {
        var isFilled = false
        switch kind {
        case .overwrite, .remove: isFilled = true
        case .fill, .endless: break
        }
        var expected = ExpectedContents(cell.data, isFilled: isFilled)
        for (worker, watch) in watches.enumerated() {
            var walk = walk(cell, worker)
            for _ in 0..<watch.count * batch {
                walk.advance()
                if case .remove = kind { expected.remove(walk.number) } else { expected.put(walk.number, walk.value) }
            }
        }
        try await Checking.check(expected, engine, at: path, cell.row.use)
    }
}

extension Writing {
    @inline(__always)
    static func put<S: Session>(
        _ session: S, _ walk: KeyWalk, _ data: Dataset, _ watch: Stopwatch
    ) async throws -> Stopwatch {
        var (walk, watch) = (walk, watch)
        let (keys, values) = (data.keys(), data.values)
        var key = keys.makeBuffer()
        while true {
            let group = watch.next()
            if group == 0 { break }
            for step in 0..<group {
                walk.advance()
                keys.write(walk.number, to: &key)
                try await session.put(key, values[walk.value])
                if step == 0 { watch.lap() }
            }
        }
        watch.stop()
        return watch
    }

    @inline(__always)
    private static func write<S: Session>(
        _ batch: Int, _ session: S, _ walk: KeyWalk, _ data: Dataset, _ watch: Stopwatch
    ) async throws -> Stopwatch {
        var (walk, watch) = (walk, watch)
        let (keys, values) = (data.keys(), data.values)
        var key = keys.makeBuffer()
        while watch.next() > 0 {
            try await session.write { add in
                for _ in 0..<batch {
                    walk.advance()
                    keys.write(walk.number, to: &key)
                    try add(key, values[walk.value])
                }
            }
            watch.lap()
        }
        watch.stop()
        return watch
    }

    @inline(__always)
    private static func remove<S: Session>(
        _ session: S, _ walk: KeyWalk, _ data: Dataset, _ watch: Stopwatch
    ) async throws -> Stopwatch {
        var (walk, watch) = (walk, watch)
        let keys = data.keys()
        var key = keys.makeBuffer()
        while true {
            let group = watch.next()
            if group == 0 { break }
            for step in 0..<group {
                walk.advance()
                keys.write(walk.number, to: &key)
                try await session.remove(key)
                if step == 0 { watch.lap() }
            }
        }
        watch.stop()
        return watch
    }
}
