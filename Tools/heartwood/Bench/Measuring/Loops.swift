/// The loops of the workloads. Each is compiled for each kind of session.
enum Loops {
    /// What a loop of reads has read.
    struct Outcome: Sendable {
        var watch: Stopwatch
        var found = 0
        /// The bytes of all values, and their sum, so that each is read.
        var bytes = 0
        var sum: UInt64 = 0
    }

    @inline(__always)
    static func put<S: Session>(
        _ session: S, _ walk: KeyWalk, _ data: Dataset, _ watch: Stopwatch
    ) async throws -> Stopwatch {
        var (walk, watch) = (walk, watch)
        let (keys, values) = (data.keys(), data.values)
        var key = keys.makeBuffer()
        while watch.next() {
            walk.advance()
            keys.write(walk.number, to: &key)
            try await session.put(key, values[walk.value])
        }
        return watch
    }

    @inline(__always)
    static func remove<S: Session>(
        _ session: S, _ walk: KeyWalk, _ data: Dataset, _ watch: Stopwatch
    ) async throws -> Stopwatch {
        var (walk, watch) = (walk, watch)
        let keys = data.keys()
        var key = keys.makeBuffer()
        while watch.next() {
            walk.advance()
            keys.write(walk.number, to: &key)
            try await session.remove(key)
        }
        return watch
    }

    /// Writes batches of that many pairs.
    @inline(__always)
    static func write<S: Session>(
        _ batch: Int, _ session: S, _ walk: KeyWalk, _ data: Dataset, _ watch: Stopwatch
    ) async throws -> Stopwatch {
        var (walk, watch) = (walk, watch)
        let (keys, values) = (data.keys(), data.values)
        var key = keys.makeBuffer()
        while watch.next() {
            try await session.write { add in
                for _ in 0..<batch {
                    walk.advance()
                    keys.write(walk.number, to: &key)
                    try add(key, values[walk.value])
                }
            }
        }
        return watch
    }

    /// Gets random keys, with `offset` added to their numbers, and adds up all bytes of their values.
    @inline(__always)
    static func get<S: Session>(
        _ session: S, _ data: Dataset, seed: UInt64, offset: Int = 0, _ watch: Stopwatch
    ) throws -> Outcome {
        var (watch, random) = (watch, SplitMix64(seed: seed))
        var (found, bytes, sum) = (0, 0, UInt64(0))
        let keys = data.keys()
        var key = keys.makeBuffer()
        while watch.next() {
            keys.write(random.next(below: data.keyCount) &+ offset, to: &key)
            let isFound = try session.get(key) { value in
                bytes &+= value.byteCount
                ByteSum.add(value, to: &sum)
            }
            if isFound { found &+= 1 }
        }
        return Outcome(watch: watch, found: found, bytes: bytes, sum: sum)
    }

    /// Compares what was read of a filled store with what was put.
    static func check(_ outcome: Outcome, _ data: Dataset, seed: UInt64) throws {
        let count = outcome.watch.count
        guard outcome.found == count else {
            throw WrongResult("\(outcome.found) of \(count) keys were found, but all of them exist")
        }
        var random = SplitMix64(seed: seed)
        let expected = (0..<count).reduce(into: UInt64(0)) { sum, _ in
            sum &+= data.sum(random.next(below: data.keyCount))
        }
        try checkSum(outcome.sum, expected)
    }

    static func checkSum(_ sum: UInt64, _ expected: UInt64) throws {
        guard sum == expected else {
            throw WrongResult("values are wrong: their bytes add up to \(sum), not to \(expected)")
        }
    }

    /// Scans repeatedly until the time is over, and compares each complete scan with what was put.
    ///
    /// - Parameters:
    ///   - keysOnly: Whether values are not read. One byte of each key is read, so that the key must be in memory.
    ///   - scan: Calls `visit` with every pair, in order, until it returns false.
    /// - Returns: The number of pairs, and when the last scan ended.
    @inline(__always)
    static func scan(
        _ data: Dataset, until deadline: UInt64, keysOnly: Bool = false, _ scan: (_ visit: PairVisitor) throws -> Void
    ) throws -> (pairs: Int, end: UInt64) {
        let expected = data.sumOfAll
        var (total, now) = (0, Ticks.now)
        while now < deadline {
            var (pairs, sum, isIncomplete): (Int, UInt64, Bool) = (0, 0, false)
            try scan { key, value in
                if keysOnly {
                    sum &+= UInt64(key.unsafeLoad(as: UInt8.self))
                } else {
                    ByteSum.add(value, to: &sum)
                }
                pairs &+= 1
                guard pairs & 0xFFF == 0, Ticks.now >= deadline || Interrupt.isRequested else { return true }
                isIncomplete = true
                return false
            }
            now = Ticks.now
            total += pairs
            if isIncomplete { break }
            guard pairs == data.keyCount else {
                throw WrongResult("a scan visited \(pairs) of \(data.keyCount) pairs")
            }
            if !keysOnly { try checkSum(sum, expected) }
        }
        return (total, now)
    }
}
