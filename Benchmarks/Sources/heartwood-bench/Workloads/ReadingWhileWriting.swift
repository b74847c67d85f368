/// `readwhilewriting`: a thread gets random keys while another worker overwrites keys, both as fast as possible. The
/// gets are counted; the writer's rate is a further figure.
struct ReadingWhileWriting: Sendable {
    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let database = try await engine.open(at: cell.store, for: cell.row.use)
        let (reader, writer) = (try database.session(), try database.session())
        let walk = KeyWalk(
            .random(seed: cell.seed(1)), 0..<cell.data.keyCount, valueCount: cell.data.values.count, round: 1)
        let start = Ticks.now
        let deadline = start + cell.nanoseconds
        async let writing = Team.run(1, onThreads: engine.runsOnThreads) { _ in
            try await Writing.put(
                writer, walk, cell.data, Stopwatch(deadline: deadline, interval: cell.interval))
        }
        async let reading = Team.run(1, onThreads: true) { _ in
            try Getting.get(
                reader, cell.data, RandomNumbers(below: cell.data.keyCount, seed: cell.seed(0)), offset: 0,
                Stopwatch(deadline: deadline, interval: cell.interval))
        }
        let (read, written) = (try await reading[0], try await writing[0])
        var measured = Measured([read.watch], since: start, bytesEach: cell.data.pairBytes)
        measured.figures[.besidePerSecond] = Double(written.count) / Ticks.seconds(from: start, to: written.end)
        reader.end()
        writer.end()
        try await database.close()
        guard read.found == read.watch.count, read.bytes == read.found * cell.data.valueBytes else {
            throw WrongResult("\(read.found) of \(read.watch.count) keys were found, with \(read.bytes) bytes")
        }
        try await Checking.check(engine, cell, after: [(walk, written.count)])
        return measured
    }
}
