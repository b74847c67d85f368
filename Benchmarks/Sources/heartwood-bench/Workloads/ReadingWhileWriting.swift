/// A thread that gets random keys while another worker overwrites, both as fast as they can: `readwhilewriting`.
/// Counted are the gets; what the writer did stands beside.
struct ReadingWhileWriting: Sendable {
    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let database = try await engine.open(at: cell.store, for: cell.row.use)
        let (reader, writer) = (try database.session(), try database.session())
        let steps = walk(cell)
        let start = Ticks.now
        let deadline = start + cell.nanoseconds
        async let writing = Team.run(1, onThreads: engine.runsOnThreads) { _ in
            try await Writing.put(
                writer, steps, cell.data, Stopwatch(deadline: deadline, interval: cell.interval))
        }
        async let reading = Team.run(1, onThreads: true) { _ in
            try Self.read(reader, cell, Stopwatch(deadline: deadline, interval: cell.interval))
        }
        let (read, written) = (try await reading[0], try await writing[0])
        var measured = Measured([read.watch], since: start, bytesEach: cell.data.pairBytes)
        measured.figures[.besidePerSecond] = Double(written.count) / Ticks.seconds(from: start, to: written.end)
        reader.end()
        writer.end()
        try await database.close()
        guard read.found == read.watch.count, read.bytes == read.found * cell.data.valueBytes else {
            throw WrongResult("of \(read.watch.count) keys \(read.found) were found, with \(read.bytes) bytes")
        }
        var expected = ExpectedContents(cell.data, isFilled: true)
        var walk = steps
        for _ in 0..<written.count {
            walk.advance()
            expected.put(walk.number, walk.value)
        }
        try await Checking.check(expected, engine, at: cell.store, cell.row.use)
        return measured
    }

    private func walk(_ cell: Cell) -> KeyWalk {
        KeyWalk(
            .anyKey(seed: cell.seed(1)), 0..<cell.data.keyCount, valueCount: cell.data.values.count, round: 1)
    }

    private struct Read: Sendable {
        var watch: Stopwatch
        var found = 0
        var bytes = 0
        var sum: UInt64 = 0
    }

    @inline(__always)
    private static func read<S: Session>(_ session: S, _ cell: Cell, _ watch: Stopwatch) throws -> Read {
        var read = Read(watch: watch)
        var numbers = RandomNumbers(below: cell.data.keyCount, seed: cell.seed(0))
        let keys = cell.data.keys()
        var key = keys.makeBuffer()
        while true {
            let group = read.watch.next()
            if group == 0 { break }
            for step in 0..<group {
                keys.write(numbers.next(), to: &key)
                let isFound = try session.get(key) { value in
                    read.bytes &+= value.byteCount
                    ByteSum.add(value, to: &read.sum)
                }
                if isFound { read.found &+= 1 }
                if step == 0 { read.watch.lap() }
            }
        }
        read.watch.stop()
        return read
    }
}
