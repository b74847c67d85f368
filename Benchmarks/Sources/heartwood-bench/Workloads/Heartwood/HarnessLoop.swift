/// The loops of the other workloads without a store: the cost of making keys, taking values and summing them, and
/// whether the loop of a task costs more than that of a plain thread.
enum HarnessLoop {
    static func put(_ cell: Cell, isPlain: Bool) async throws -> Measured {
        let start = Ticks.now
        let (watch, walk) = (cell.stopwatch(since: start), cell.walk())
        let done =
            isPlain
            ? try await onThread { putPlainly(walk, cell.data, watch) }
            : try await Team.run(1, onThreads: true) { _ in
                try await Loops.put(NoSession(), walk, cell.data, watch)
            }[0]
        return Measured([done], since: start, bytesEach: cell.data.pairBytes)
    }

    /// The loop of puts, but not `async`.
    private static func putPlainly(_ walk: KeyWalk, _ data: Dataset, _ watch: Stopwatch) -> Stopwatch {
        var (walk, watch) = (walk, watch)
        let session = NoSession()
        let (keys, values) = (data.keys(), data.values)
        var key = keys.makeBuffer()
        while watch.next() {
            walk.advance()
            keys.write(walk.number, to: &key)
            session.put(key, values[walk.value])
        }
        return watch
    }

    static func get(_ cell: Cell) async throws -> Measured {
        let start = Ticks.now
        let session = NoSession(value: cell.data.value(1))
        let outcomes = try await Team.run(1, onThreads: true) { _ in
            try Loops.get(session, cell.data, seed: cell.seed(0), cell.stopwatch(since: start))
        }
        return Measured(outcomes.map(\.watch), since: start, bytesEach: cell.data.pairBytes)
    }
}

/// Ignores pairs, and always lends the same value. Not inlined, so that the compiler doesn't remove the calls.
private struct NoSession: Session {
    var value: [UInt8] = []

    @inline(never)
    func put(_ key: [UInt8], _ value: [UInt8]) {}

    func remove(_ key: [UInt8]) {}
    func write(_ fill: (_ add: PairAdder) throws -> Void) throws {}

    @inline(never)
    private func find(_ key: [UInt8]) -> [UInt8] { value }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) -> Bool {
        find(key).withUnsafeBytes { body($0.bytes) }
        return true
    }

    func scan(from key: [UInt8]?, _ visit: PairVisitor) {}
    func scanBackwards(_ visit: PairVisitor) {}
}

/// Steps at the rate of `Puts.latency` without a store, while a thread writes files of the size of a snapshot, syncs
/// them and reads them: how late the scheduler and the file system alone make steps on this machine.
enum PaceFloor {
    /// Bytes of a record in a file in addition to key and value.
    private static let overhead = 32

    static func measure(_ cell: Cell) async throws -> Measured {
        let bytes = (overhead + cell.data.pairBytes) * cell.data.keyCount
        let isOver = OneWaySwitch()
        async let copied: Void = onThread { try copy(bytes, to: "\(cell.spec.scratch)/copied", until: isOver) }
        let start = Ticks.now
        let steps: Pace.Steps
        do {
            defer { isOver.set() }
            steps = try await Task {
                try await Pace(rate: Puts.pace, nanoseconds: cell.nanoseconds, since: start).steps {
                    let end = Ticks.now + 500
                    while Ticks.now < end {}
                }
            }.value
        }
        try await copied
        return Measured(paced: steps, since: start, bytesEach: 0)
    }

    private static func copy(_ bytes: Int, to path: String, until isOver: OneWaySwitch) throws {
        var buffer = [UInt8](repeating: 0x5A, count: 1 << 20)
        while !isOver.isSet {
            let file = try RawFile(zeros: 0, at: path)
            let starts = stride(from: 0, to: bytes, by: buffer.count)
            for start in starts where !isOver.isSet {
                try buffer.withUnsafeBytes { try file.write($0[...], at: start) }
            }
            try file.sync()
            guard !isOver.isSet else { return }
            for start in starts where !isOver.isSet {
                try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: start) }
            }
        }
    }
}
