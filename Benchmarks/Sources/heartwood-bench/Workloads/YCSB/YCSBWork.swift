/// `ycsb-a` to `ycsb-f`: workers do the operations of a YCSB workload on a filled store.
struct YCSBWork: Sendable {
    var mix: YCSBMix

    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let zipfian = mix == .d ? Zipfian(cell.data.keyCount) : nil
        let (measured, outcomes) = try await engine.withSessions(cell) { sessions, database in
            let team = Team(cell.workers, onThreads: engine.runsOnThreads)
            let start = Ticks.now
            let outcomes = try await team.run { worker in
                try await Self.work(
                    sessions[worker], cell.data, walk(cell, worker, zipfian), cell.stopwatch(since: start))
            }
            var measured = Measured(outcomes.map(\.watch), since: start, bytesEach: cell.data.pairBytes)
            measured.noteHeartwood(database)
            team.disband()
            return (measured, outcomes)
        }
        let (reads, found) = outcomes.reduce((0, 0)) { ($0.0 + $1.reads, $0.1 + $1.found) }
        guard reads == found else { throw WrongResult("\(found) of \(reads) keys were found, but all of them exist") }
        try await check(engine, cell, outcomes, zipfian)
        return measured
    }

    private func walk(_ cell: Cell, _ worker: Int, _ zipfian: Zipfian?) -> YCSBWalk {
        YCSBWalk(
            mix, keyCount: cell.data.keyCount, valueCount: cell.data.values.count, worker: worker, of: cell.workers,
            seed: cell.seed(worker), zipfian: zipfian)
    }

    /// What one worker has done and read.
    struct Outcome: Sendable {
        var watch: Stopwatch
        var reads = 0
        var found = 0
        /// The sum of all bytes of all values, so that each is read.
        var sum: UInt64 = 0
        var inserted = 0
    }

    @inline(__always)
    private static func work<S: Session>(
        _ session: S, _ data: Dataset, _ walk: YCSBWalk, _ watch: Stopwatch
    ) async throws -> Outcome {
        var (walk, watch, reads, found, sum) = (walk, watch, 0, 0, UInt64(0))
        let (keys, values) = (data.keys(), data.values)
        var key = keys.makeBuffer()
        func read() throws {
            reads += 1
            if try session.get(key, { value in ByteSum.add(value, to: &sum) }) { found += 1 }
        }
        while watch.next() {
            let operation = walk.next()
            keys.write(operation.number, to: &key)
            switch operation {
            case .read: try read()
            case .update(_, let value), .insert(_, let value): try await session.put(key, values[value])
            case .scan(_, let length):
                var remaining = length
                try session.scan(from: key) { _, value in
                    ByteSum.add(value, to: &sum)
                    remaining -= 1
                    return remaining > 0
                }
            case .change(_, let value):
                try read()
                try await session.put(key, values[value])
            }
        }
        return Outcome(watch: watch, reads: reads, found: found, sum: sum, inserted: walk.inserted)
    }

    /// Repeats the sequence of operations, and compares the store with its result.
    private func check<E: Engine>(
        _ engine: E, _ cell: Cell, _ outcomes: [Outcome], _ zipfian: Zipfian?
    ) async throws {
        let inserted = outcomes.map(\.inserted).max() ?? 0
        var expected = ExpectedContents(
            cell.data, keyLimit: cell.data.keyCount + inserted * cell.workers, isFilled: true)
        for (worker, outcome) in outcomes.enumerated() {
            var walk = walk(cell, worker, zipfian)
            var last: [Int: Int] = [:]
            for _ in 0..<outcome.watch.count {
                switch walk.next() {
                case .update(let number, let value), .insert(let number, let value), .change(let number, let value):
                    last[number] = value
                case .read, .scan: break
                }
            }
            for (number, value) in last { expected.mayHave(number, value) }
        }
        try await engine.check(expected, at: cell.spec.store, cell.row.use)
    }
}
