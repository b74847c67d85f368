/// The loops of the other workloads without a store: the cost of making keys, taking values and summing them, and
/// whether the loop of a task costs more than that of a plain thread.
enum HarnessLoop {
    static func put(_ cell: Cell, isPlain: Bool) async throws -> Measured {
        let start = Ticks.now
        let watch = Stopwatch(deadline: start + cell.nanoseconds, interval: cell.interval)
        let walk = KeyWalk(.sequential, 0..<cell.data.keyCount, valueCount: cell.data.values.count)
        let done: Stopwatch
        if isPlain {
            done = try await onThread { putPlainly(walk, cell.data, watch) }
        } else {
            done = try await Team.run(1, onThreads: true) { _ in
                try await Writing.put(NoSession(), walk, cell.data, watch)
            }[0]
        }
        return Measured([done], since: start, bytesEach: cell.data.pairBytes)
    }

    /// The loop of `Writing`, but not `async`.
    private static func putPlainly(_ walk: KeyWalk, _ data: Dataset, _ watch: Stopwatch) -> Stopwatch {
        var (walk, watch) = (walk, watch)
        let session = NoSession()
        let (keys, values) = (data.keys(), data.values)
        var key = keys.makeBuffer()
        while true {
            let group = watch.next()
            if group == 0 { break }
            for step in 0..<group {
                walk.advance()
                keys.write(walk.number, to: &key)
                session.put(key, values[walk.value])
                if step == 0 { watch.lap() }
            }
        }
        watch.stop()
        return watch
    }

    static func get(_ cell: Cell) async throws -> Measured {
        let start = Ticks.now
        let outcomes = try await Team.run(1, onThreads: true) { _ in
            try Getting.get(
                NoSession(value: cell.data.value(1)), cell.data,
                RandomNumbers(below: cell.data.keyCount, seed: cell.seed(0)), offset: 0,
                Stopwatch(deadline: start + cell.nanoseconds, interval: cell.interval))
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
    func write(_ fill: (_ add: (_ key: [UInt8], _ value: [UInt8]) throws -> Void) throws -> Void) throws {}

    @inline(never)
    private func find(_ key: [UInt8]) -> [UInt8] { value }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) -> Bool {
        find(key).withUnsafeBytes { body($0.bytes) }
        return true
    }

    func scan(from key: [UInt8]?, _ visit: (_ key: RawSpan, _ value: RawSpan) -> Bool) {}
    func scanBackwards(_ visit: (_ key: RawSpan, _ value: RawSpan) -> Bool) {}
}
