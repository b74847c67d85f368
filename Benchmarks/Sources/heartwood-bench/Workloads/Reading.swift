/// `readrandom`, `readmissing`: threads get random keys and add up all bytes of their values.
struct Getting: Sendable {
    /// Whether the keys exist.
    var isPresent = true

    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let (start, outcomes) = try await engine.withSessions(cell) { sessions, _ in
            let start = Ticks.now
            // Reads block in every engine: each reader is a thread.
            let outcomes = try await Team.run(cell.workers, onThreads: true) { worker in
                try Loops.get(
                    sessions[worker], cell.data, seed: cell.seed(worker), offset: isPresent ? 0 : cell.data.keyCount,
                    cell.stopwatch(since: start))
            }
            return (start, outcomes)
        }
        for (worker, outcome) in outcomes.enumerated() {
            if isPresent {
                try Loops.check(outcome, cell.data, seed: cell.seed(worker))
            } else if outcome.found > 0 {
                throw WrongResult("\(outcome.found) keys were found, but none of them exists")
            }
        }
        return Measured(
            outcomes.map(\.watch), since: start, bytesEach: isPresent ? cell.data.pairBytes : Dataset.keyBytes)
    }
}

/// `readseq`, `readreverse`: one thread visits all pairs in order, repeatedly, and adds up all bytes of their values.
enum Scanning {
    static func measure<E: Engine>(_ engine: E, _ cell: Cell, isBackwards: Bool) async throws -> Measured {
        try await engine.withSessions(cell, 1) { sessions, _ in
            try await Team.run(1, onThreads: true) { _ in
                try run(cell) { visit in
                    if isBackwards {
                        try sessions[0].scanBackwards(visit)
                    } else {
                        try sessions[0].scan(from: nil, visit)
                    }
                }
            }[0]
        }
    }

    /// The loop of all workloads that scan.
    @inline(__always)
    static func run(
        _ cell: Cell, keysOnly: Bool = false, _ scan: (_ visit: PairVisitor) throws -> Void
    ) throws -> Measured {
        let start = Ticks.now
        let (pairs, end) = try Loops.scan(
            cell.data, until: start + cell.nanoseconds, keysOnly: keysOnly, scan)
        let bytes = keysOnly ? Dataset.keyBytes : cell.data.pairBytes
        return Measured(pairs, since: start, to: end, bytesEach: bytes)
    }
}

/// `seekrandom`: one thread seeks to random keys and reads some pairs from each.
enum Seeking {
    /// Pairs read per seek.
    private static let length = 10

    static func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let (start, (watch, sum)) = try await engine.withSessions(cell, 1) { sessions, _ in
            let start = Ticks.now
            let found = try await Team.run(1, onThreads: true) { _ in
                try seek(sessions[0], cell.data, SplitMix64(seed: cell.seed(0)), cell.stopwatch(since: start))
            }
            return (start, found[0])
        }
        if !(engine is RawEngine) { try check(cell, watch.count, sum) }
        return Measured([watch], since: start, bytesEach: cell.data.pairBytes * length)
    }

    @inline(__always)
    private static func seek<S: Session>(
        _ session: S, _ data: Dataset, _ random: SplitMix64, _ watch: Stopwatch
    ) throws -> (Stopwatch, UInt64) {
        var (random, watch, sum) = (random, watch, UInt64(0))
        let keys = data.keys()
        var key = keys.makeBuffer()
        while watch.next() {
            keys.write(random.next(below: keys.count), to: &key)
            var remaining = length
            try session.scan(from: key) { _, value in
                ByteSum.add(value, to: &sum)
                remaining &-= 1
                return remaining > 0
            }
        }
        return (watch, sum)
    }

    /// Compares the sum with that of the pairs that follow each key, in the order of the keys.
    private static func check(_ cell: Cell, _ count: Int, _ sum: UInt64) throws {
        let data = cell.data
        var order: [Int] = []
        order.reserveCapacity(data.keyCount)
        data.keys().forEachInOrder { order.append($0) }
        var sums = [UInt64](repeating: 0, count: data.keyCount)
        var window: UInt64 = 0
        for position in order.indices.reversed() {
            window &+= data.sum(order[position])
            if position + length < order.count { window &-= data.sum(order[position + length]) }
            sums[order[position]] = window
        }
        var random = SplitMix64(seed: cell.seed(0))
        try Loops.checkSum(
            sum, (0..<count).reduce(into: 0) { sum, _ in sum &+= sums[random.next(below: data.keyCount)] })
    }
}

/// `memory`: opens a full store, gets random keys, and measures the memory of the process per key.
enum Remembering {
    static func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let before = try memory()
        let (measured, outcome) = try await engine.withSessions(cell, 1) { sessions, _ in
            let start = Ticks.now
            // As many gets as keys, to fill the engine's cache.
            let watch = Stopwatch(
                deadline: start + 4 * cell.nanoseconds, limit: cell.data.keyCount, interval: cell.interval)
            let outcome = try await Team.run(1, onThreads: true) { _ in
                try Loops.get(sessions[0], cell.data, seed: cell.seed(0), watch)
            }[0]
            let after = try memory()
            var measured = Measured(
                outcome.watch.count, since: start, to: outcome.watch.end, bytesEach: cell.data.pairBytes)
            func perKey(_ bytes: KeyPath<ProcessUse.Memory, UInt64>) -> Double {
                max(0, Double(after[keyPath: bytes]) - Double(before[keyPath: bytes])) / Double(cell.data.keyCount)
            }
            measured.figures[.memoryBytesPerKey] = perKey(\.anonymous)
            measured.figures[.mappedBytesPerKey] = perKey(\.mapped)
            measured.figures[.peakMemoryBytes] = ProcessUse.now.peakMemoryBytes.map { Double($0) }
            return (measured, outcome)
        }
        try Loops.check(outcome, cell.data, seed: cell.seed(0))
        return measured
    }

    private static func memory() throws -> ProcessUse.Memory {
        guard let memory = ProcessUse.memory else {
            throw WrongResult("the system doesn't report the memory of a process")
        }
        return memory
    }
}

/// `recovery-log`, `recovery-default`, `open-compacted`: opens a store and gets one key. Only that is timed. Afterwards
/// all records are compared with what was put.
enum Recovering {
    /// - Parameter rounds: How often each key was put.
    static func measure<E: Engine>(_ engine: E, _ cell: Cell, rounds: Int) async throws -> Measured {
        let keys = cell.data.keys()
        var key = keys.makeBuffer()
        keys.write(cell.data.keyCount / 2, to: &key)
        let before = ProcessUse.now
        let start = Ticks.now
        let database = try await engine.open(at: cell.spec.store, for: EngineUse())
        let session = try database.session()
        // An engine may defer work until the first read.
        guard try session.get(key, { _ in }) else { throw WrongResult("a key is missing") }
        var measured = Measured(cell.data.keyCount * rounds, since: start, bytesEach: cell.data.pairBytes)
        measured.note(ProcessUse.now, since: before)
        measured.figures[.recordsPerSecond] = Double(measured.operations) / measured.seconds
        measured.figures[.megabytesPerSecond] = Double(measured.bytes) / 1e6 / measured.seconds
        var expected = ExpectedContents(cell.data, isFilled: true)
        expected.apply(cell.walk(round: rounds - 1), times: cell.data.keyCount)
        try expected.check(session)
        session.end()
        try await database.close()
        return measured
    }
}
