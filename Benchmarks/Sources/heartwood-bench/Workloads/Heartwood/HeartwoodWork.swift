internal import Foundation
internal import Heartwood
internal import Synchronization

extension Cell {
    /// Opens the cell's store, compacted only on request.
    func openManual(_ path: String? = nil) async throws -> Store {
        var configuration = Store.Configuration()
        configuration.compaction = .manual
        return try await Store.open(at: path ?? spec.store, configuration: configuration)
    }
}

/// When a store is compacted during a measurement.
enum Compacting: Sendable {
    case never
    /// Without a pause between compactions.
    case backToBack

    /// Calls `body` while the store is compacted.
    ///
    /// - Returns: The result of `body`, and the number of compactions that were completed during the call.
    func during<R>(_ store: Store, _ body: () async throws -> R) async throws -> (result: R, compactions: Int) {
        guard self == .backToBack else { return (try await body(), 0) }
        let isOver = OneWaySwitch()
        let compactions = Task { try await Self.compactRepeatedly(store, until: isOver) }
        defer { compactions.cancel() }
        let result: R
        do {
            defer { isOver.set() }
            result = try await body()
        }
        // The running compaction isn't awaited: its cost is in no figure.
        compactions.cancel()
        return (result, try await compactions.value)
    }

    private static func compactRepeatedly(_ store: Store, until isOver: OneWaySwitch) async throws -> Int {
        var count = 0
        var last = store.statistics.compaction.snapshot?.sequence
        while !isOver.isSet {
            do {
                let sequence = try await store.compact().snapshot?.sequence
                // If nothing was written since the last compaction, there was nothing to do.
                if sequence != last { count += 1 }
                last = sequence
            } catch {
                guard error.code == .cancelled else { throw error }
            }
        }
        return count
    }
}

/// One task overwrites, `.buffered`, during compactions or without them.
enum Puts {
    /// As fast as possible.
    static func rate(_ cell: Cell, _ compacting: Compacting) async throws -> Measured {
        try await run(cell, compacting) { session in
            let start = Ticks.now
            let watch = try await Loops.put(session, cell.randomWalk(), cell.data, cell.stopwatch(since: start))
            return Measured([watch], since: start, bytesEach: cell.data.pairBytes)
        }
    }

    /// Puts a second of `latency`.
    static let pace = 200_000

    /// At a rate that doesn't depend on the store's speed: how late puts are, and whether they waited for the disk.
    static func latency(_ cell: Cell, _ compacting: Compacting) async throws -> Measured {
        try await run(cell, compacting) { session in
            let (pressure, start) = (DiskPressure(), Ticks.now)
            let steps = try await Pace(rate: pace, nanoseconds: cell.nanoseconds, since: start)
                .put(session, cell.randomWalk(), cell.data)
            pressure.stop()
            var measured = Measured(paced: steps, since: start, bytesEach: cell.data.pairBytes)
            measured.figures[.unexplainedStalls] = pressure.unexplained(steps.stalls).map { Double($0) }
            return measured
        }
    }

    private static func run(
        _ cell: Cell, _ compacting: Compacting, _ put: @escaping @Sendable (HeartwoodSession) async throws -> Measured
    ) async throws -> Measured {
        let store = try await cell.openManual()
        let session = HeartwoodSession(store: store, durability: .buffered)
        // A task of its own, as the other workloads have.
        var (measured, compactions) = try await compacting.during(store) {
            try await Task { try await put(session) }.value
        }
        let batches = store.statistics.batches
        try await store.close()
        guard batches == UInt64(measured.operations) else {
            throw WrongResult("\(measured.operations) puts were made, but the store counted \(batches)")
        }
        measured.figures[.compactions] = Double(compactions)
        return measured
    }
}

/// How long tasks of this system have waited for the disk, every 10 ms, as Linux reports it (proc_pressure(5)).
final class DiskPressure: Sendable {
    /// Points in time, with the nanoseconds that some task has waited for the disk until then.
    private let samples = Mutex<[(time: UInt64, waited: UInt64)]>([])
    private let sampler = Mutex<Repeater?>(nil)

    init() {
        sample()
        sampler.withLock { $0 = Repeater(milliseconds: 10) { [weak self] in self?.sample() } }
    }

    private func sample() {
        // The line of 'some' is the first.
        guard let text = try? String(contentsOfFile: "/proc/pressure/io", encoding: .utf8),
            let total = text.prefix(while: { $0 != "\n" }).split(separator: "=").last.flatMap({ UInt64($0) })
        else { return }
        samples.withLock { $0.append((Ticks.now, total * 1_000)) }
    }

    func stop() {
        sampler.withLock { $0?.stop() }
        sample()
    }

    /// How many stalls are left in which no task waited for the disk as long as the stall; nil if the system doesn't
    /// report it.
    func unexplained(_ stalls: [Pace.Stall]) -> Int? {
        let samples = samples.withLock { $0 }
        guard let first = samples.first, let last = samples.last else { return nil }
        return stalls.count { stall in
            let before = samples.last { $0.time <= stall.time.lowerBound } ?? first
            let after = samples.first { $0.time >= stall.time.upperBound } ?? last
            return after.waited - before.waited < stall.length
        }
    }
}

/// One task overwrites random keys, `.buffered`, in a store that compacts automatically: the cost of a put, including
/// its share of the compactions.
///
/// Measured from the end of one compaction to the end of a later one, so that the compactions match the puts.
enum WriteCost {
    /// The smallest number of compactions that is measured.
    private static let compactions: UInt64 = 2
    /// Bytes of log at which puts wait for compaction, so that slow compactions don't fill the disk.
    private static let logLimit: UInt64 = 8 << 30
    /// Puts between two reads of the statistics.
    private static let checkInterval = 4_096

    static func measure(_ cell: Cell) async throws -> Measured {
        let store = try await Store.open(at: cell.spec.store)
        // A task of its own, as the other workloads have.
        let measured = try await Task { try await put(cell, store) }.value
        let keys = store.statistics.keys
        try await store.close()
        guard keys == cell.data.keyCount else {
            throw WrongResult("\(cell.data.keyCount) keys were overwritten, but the store has \(keys)")
        }
        return measured
    }

    private static func put(_ cell: Cell, _ store: Store) async throws -> Measured {
        let (keys, values) = (cell.data.keys(), cell.data.values)
        var walk = cell.randomWalk()
        var key = keys.makeBuffer()
        /// Puts until that many compactions are completed and the deadline has passed.
        func put(until compactions: UInt64, deadline: UInt64) async throws -> Int {
            var count = 0
            var completed: UInt64 = 0
            while true {
                for _ in 0..<checkInterval {
                    walk.advance()
                    keys.write(walk.number, to: &key)
                    try await store.put(key, values[walk.value], durability: .buffered)
                }
                count += checkInterval
                while store.statistics.logBytes > logLimit { try await Task.sleep(for: .milliseconds(10)) }
                let statistics = store.statistics.compaction
                if let failure = statistics.failure { throw WrongResult("a compaction failed: \(failure)") }
                // Stops right after the end of a compaction.
                let hasEnded = statistics.completed > completed
                completed = statistics.completed
                if hasEnded, completed >= compactions, Ticks.now >= deadline { return count }
            }
        }
        _ = try await put(until: 1, deadline: 0)
        let earlier = store.statistics.compaction.completed
        let before = ProcessUse.now
        let start = Ticks.now
        let count = try await put(until: earlier + compactions, deadline: start + cell.nanoseconds)
        var measured = Measured(count, since: start, bytesEach: cell.data.pairBytes)
        measured.note(ProcessUse.now, since: before)
        measured.figures[.compactions] = Double(store.statistics.compaction.completed - earlier)
        return measured
    }
}
