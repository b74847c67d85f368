/// `readrandom`, `readmissing`: threads get random keys and add up all bytes of their values.
struct Getting: Sendable {
    /// Whether the keys exist.
    var isPresent = true

    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let database = try await engine.open(at: cell.store, for: cell.row.use)
        let sessions = try (0..<cell.workers).map { _ in try database.session() }
        let start = Ticks.now
        // Reads block in every engine: each reader is a thread.
        let outcomes = try await Team.run(cell.workers, onThreads: true) { worker in
            try Self.get(
                sessions[worker], cell.data, RandomNumbers(below: cell.data.keyCount, seed: cell.seed(worker)),
                offset: isPresent ? 0 : cell.data.keyCount,
                Stopwatch(deadline: start + cell.nanoseconds, interval: cell.interval))
        }
        let measured = Measured(
            outcomes.map(\.watch), since: start, bytesEach: isPresent ? cell.data.pairBytes : Dataset.keyBytes)
        for (worker, outcome) in outcomes.enumerated() { try check(outcome, cell, worker) }
        sessions.forEach { $0.end() }
        try await database.close()
        return measured
    }

    /// What one thread has read.
    struct Outcome: Sendable {
        var watch: Stopwatch
        var found = 0
        var bytes = 0
        var sum: UInt64 = 0
    }

    @inline(__always)
    static func get<S: Session>(
        _ session: S, _ data: Dataset, _ numbers: RandomNumbers, offset: Int, _ watch: Stopwatch
    ) throws -> Outcome {
        var outcome = Outcome(watch: watch)
        var numbers = numbers
        let keys = data.keys()
        var key = keys.makeBuffer()
        while true {
            let group = outcome.watch.next()
            if group == 0 { break }
            for step in 0..<group {
                keys.write(numbers.next() &+ offset, to: &key)
                let isFound = try session.get(key) { value in
                    outcome.bytes &+= value.byteCount
                    ByteSum.add(value, to: &outcome.sum)
                }
                if isFound { outcome.found &+= 1 }
                if step == 0 { outcome.watch.lap() }
            }
        }
        outcome.watch.stop()
        return outcome
    }

    /// Compares what a worker has read with what was put.
    func check(_ outcome: Outcome, _ cell: Cell, _ worker: Int) throws {
        let count = outcome.watch.count
        guard outcome.found == (isPresent ? count : 0) else {
            throw WrongResult(
                "\(outcome.found) of \(count) keys were found, but \(isPresent ? "all" : "none") of them exist")
        }
        guard isPresent else { return }
        var numbers = RandomNumbers(below: cell.data.keyCount, seed: cell.seed(worker))
        let expected = (0..<count).reduce(into: UInt64(0)) { sum, _ in sum &+= cell.data.sum(numbers.next()) }
        guard outcome.sum == expected else {
            throw WrongResult("values are wrong: their bytes add up to \(outcome.sum), not to \(expected)")
        }
    }
}
