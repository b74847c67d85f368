internal import Heartwood
internal import Synchronization

/// Change feeds: what one costs the writers of a store, how fast one reads a log, and when its consumer has a change.
///
/// The stores are empty at first and keep all of their log, so that no feed is overtaken.
enum Following {
    /// Puts a second of the writer of `latency`.
    static let rate = 100_000

    private static func open(_ cell: Cell) async throws -> Store {
        var configuration = Store.Configuration()
        configuration.compaction = .manual
        configuration.logRetention = .everything
        return try await Store.open(at: cell.spec.store, configuration: configuration)
    }

    /// Workers put as fast as possible, without a feed, or beside one of a level.
    static func write(_ cell: Cell, _ level: ChangeLevel?) async throws -> Measured {
        let store = try await open(cell)
        let session = HeartwoodSession(store: store, durability: cell.row.use.promise.durability)
        let received = Counter()
        let feed = level.map { level in
            let changes = store.changes(level: level)
            return Task { try await receive(changes) { _ in received.increment() } }
        }
        let before = ProcessUse.now
        let start = Ticks.now
        let watches = try await Team.run(cell.workers, onThreads: false) { worker in
            try await Loops.put(session, cell.walk(worker), cell.data, cell.stopwatch(since: start))
        }
        var measured = Measured(watches, since: start, bytesEach: cell.data.pairBytes)
        if feed != nil { measured.figures[.besidePerSecond] = Double(received.count) / measured.seconds }
        measured.note(ProcessUse.now, since: before, mapped: nil)
        measured.noteHeartwood(HeartwoodDatabase(session: session, store: store))
        // The feed ends after the last change.
        try await store.close()
        if let feed { try check(try await feed.value, measured.operations) }
        return measured
    }

    /// A feed reads a log from its first change to its last, without a writer.
    static func read(_ cell: Cell) async throws -> Measured {
        let store = try await open(cell)
        let session = HeartwoodSession(store: store, durability: .buffered)
        let puts = Stopwatch(deadline: .max, limit: cell.data.keyCount, interval: cell.interval)
        _ = try await Task { try await Loops.put(session, cell.walk(), cell.data, puts) }.value
        try await store.sync()
        let changes = store.changes(after: ChangePosition(store: store.position.store, sequence: 0))
        let last = store.position.sequence
        let before = ProcessUse.now
        let start = Ticks.now
        let count = try await Task { try await receive(changes, through: last) { _ in } }.value
        var measured = Measured(count, since: start, bytesEach: cell.data.pairBytes)
        measured.note(ProcessUse.now, since: before, mapped: nil)
        try await store.close()
        try check(count, cell.data.keyCount)
        return measured
    }

    /// One writer at a rate that is far below its limit, and a feed of visible changes: the time from the start of each
    /// put, which its value contains, until the consumer has the change.
    static func latency(_ cell: Cell) async throws -> Measured {
        let store = try await open(cell)
        let changes = store.changes(level: .visible)
        let feed = Task {
            var latencies = LatencyHistogram()
            let count = try await receive(changes) { value in
                value.withUnsafeBytes { latencies.record(Ticks.now - $0.loadUnaligned(as: UInt64.self)) }
            }
            return (count, latencies)
        }
        let start = Ticks.now
        // A thread, because the writer sleeps until its next put is due.
        let puts = try await Team.run(1, onThreads: true) { _ in
            let keys = cell.data.keys()
            var (walk, key, value) = (cell.walk(), keys.makeBuffer(), cell.data.value(0))
            return try await Pace(rate: rate, nanoseconds: cell.nanoseconds, since: start).steps {
                walk.advance()
                keys.write(walk.number, to: &key)
                value.withUnsafeMutableBytes { $0.storeBytes(of: Ticks.now, as: UInt64.self) }
                try await store.put(key, value, durability: .buffered)
            }
        }[0]
        try await store.close()
        var measured = Measured(paced: puts, since: start, bytesEach: cell.data.pairBytes)
        let (count, latencies) = try await feed.value
        try check(count, puts.count)
        (measured.latencies, measured.isCorrected) = (latencies, false)
        return measured
    }

    /// Receives changes until the store is closed, or through a number, and checks that each number comes once.
    @inline(__always)
    private static func receive(
        _ changes: Changes, through last: SequenceNumber = .max, _ body: (_ value: [UInt8]) -> Void
    ) async throws -> Int {
        var sequence = changes.position.sequence
        for try await change in changes {
            guard change.sequence == sequence + 1, case .put(let value, _) = change.action else {
                throw WrongResult("the feed delivered \(change.sequence) after \(sequence), or no put")
            }
            sequence = change.sequence
            body(value)
            if sequence == last { break }
        }
        return Int(sequence - changes.position.sequence)
    }

    private static func check(_ received: Int, _ puts: Int) throws {
        guard received == puts else { throw WrongResult("\(puts) puts were made, but the feed ended at \(received)") }
    }

    /// A count that one thread increments and another reads.
    private final class Counter: Sendable {
        private let value = Atomic(0)

        var count: Int { value.load(ordering: .relaxed) }
        func increment() { value.store(value.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }
    }
}
