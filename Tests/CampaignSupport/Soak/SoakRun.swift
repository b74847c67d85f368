internal import Heartwood
internal import HeartwoodFileSystem
import HeartwoodTesting
import Synchronization

/// A store in use for a long time, on a real file system: writers, readers, held snapshots, compactions and
/// reopenings, against a model in memory; and every second what it takes is measured.
package final class SoakRun {
    /// What has been done.
    package struct Summary: Sendable {
        package var writes = 0
        package var reads = 0
        package var transactions = 0
        package var conflicts = 0
        package var snapshots = 0
        package var compactions = 0
        package var requested = 0
        package var cancelled = 0
        package var closed = 0
        package var dropped = 0
        package var lostWrites = 0
    }

    /// When something happened, in seconds since the beginning.
    package struct Mark: Sendable, Hashable {
        package enum Kind: Sendable, Hashable { case compaction, closed, dropped }

        package var time: Double
        package var kind: Kind
    }

    package let seed: UInt64
    package let seconds: Int
    package let path: String
    package private(set) var samples: [SoakSample] = []
    package private(set) var marks: [Mark] = []
    package private(set) var summary = Summary()

    private let judgesMemory: Bool
    private let keys: SoakKeys
    private let clock = SoakClock()
    private let meter = SoakMeter()
    private let counters = SoakCounters()
    private var writers: [SoakWriter]
    private let start = ContinuousClock.now
    /// When the filling was over and the measuring began.
    private var measuringStart = ContinuousClock.now

    private static let writerCount = 4
    private static let readerCount = 2
    /// So many bytes more are as good as none: a compaction more or less, an allocator's mood.
    private static let memorySlack = 16 << 20
    private static let diskSlack = 32 << 20

    /// - Parameters:
    ///   - path: Where the store is to be; there is nothing yet.
    ///   - judgesMemory: Whether memory that grows is a failure. It is the whole process's, so that only a process that
    ///     does nothing else can judge by it.
    package init(seed: UInt64, seconds: Int, path: String, keysPerWriter: Int = 6_000, judgesMemory: Bool) {
        self.seed = seed
        self.seconds = seconds
        self.path = path
        self.judgesMemory = judgesMemory
        keys = SoakKeys(seed: seed, writers: Self.writerCount, slots: keysPerWriter)
        writers = (0..<Self.writerCount).map { SoakWriter(number: $0, slots: keysPerWriter) }
    }

    /// Runs it to its end.
    ///
    /// - Parameter report: Called about once a second, with what is done and the newest sample.
    /// - Throws: ``SoakFailure``, or what the store throws. The store is left as it is then.
    package func run(_ report: @escaping @Sendable (_ operations: Int, SoakSample?) -> Void) async throws {
        var random = SeededRandom(seed, 81)
        var number: UInt64 = 0
        var closes = true
        while time < Double(seconds) || number == 0 {
            let store = try await open()
            try await take(store, number: number, closed: closes, report)
            // The first life is as long as the others; the last ends with the run.
            let length = max(3, min(random.number(in: 15...60), seconds / 4))
            let left = Double(seconds) - (number == 0 ? 0 : time)
            let isLast = left < Double(length) + 3
            try await live(store, number, .seconds(isLast ? max(1, left) : Double(length)), report)
            number += 1
            closes = isLast || number.isMultiple(of: 2)
            // Before a drop there is no time for it: what was buffered last would get to the kernel meanwhile.
            if closes {
                try await waitForFiles(store)
                try compare(store, report)
            }
            try await end(store, closes: closes)
        }
        let store = try await open()
        try await take(store, number: number, closed: closes, report)
        try await store.close()
        try judge()
    }

    private var time: Double { (ContinuousClock.now - measuringStart).inSeconds }

    // MARK: - Opening and ending

    private func open() async throws -> Store {
        var configuration = Store.Configuration()
        configuration.segmentBytes = 4 << 20
        configuration.compaction.minimumLogBytes = 16 << 20
        configuration.clock = clock
        configuration.compression = seed % 2 == 0 ? .off : .zlib()
        // The last reference to a dropped store may be let go a moment later, by another thread.
        for attempt in 0... {
            do throws(StoreError) {
                return try await Store.open(at: path, configuration: configuration)
            } catch {
                guard error.code == .locked, attempt < 1_000 else { throw error }
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        preconditionFailure("unreachable")
    }

    /// What was recovered must be all that was promised, and then the store must be as the model.
    private func take(
        _ store: Store, number: UInt64, closed: Bool, _ report: @Sendable (Int, SoakSample?) -> Void
    ) async throws {
        let found = store.recoveryReport
        try expect(found.passedOver.isEmpty, "snapshots are damaged: \(found.passedOver)")
        if number == 0 { return try expect(found.lastSequence == 0, "the directory isn't new") }
        if closed {
            try expect(found.lastSequence == newest, "after a close \(found.lastSequence) was recovered, not \(newest)")
            try expect(found.tail == .closed, "after a close the tail is \(found.tail)")
        } else {
            try expect(
                found.lastSequence >= kept && found.lastSequence <= newest,
                "\(found.lastSequence) was recovered; \(kept) had to be kept, and \(newest) is the newest")
        }
        for index in writers.indices { summary.lostWrites += writers[index].reopen(at: found.lastSequence) }
        try compare(store, report)
    }

    private var newest: SequenceNumber = 0
    private var kept: SequenceNumber = 0

    /// Ends an opening: closes it, or lets it go as the death of the process would.
    private func end(_ store: Store, closes: Bool) async throws {
        let statistics = store.statistics
        try expect(
            statistics.compaction.failed == 0, "a compaction failed: \(statistics.compaction.failure ?? "unknown")")
        newest = statistics.lastSequence
        summary.compactions += Int(statistics.compaction.completed)
        if closes {
            try await store.close()
            summary.closed += 1
        } else {
            summary.dropped += 1
        }
        marks.append(Mark(time: time, kind: closes ? .closed : .dropped))
    }

    // MARK: - One opening

    private func live(
        _ store: Store, _ number: UInt64, _ length: Duration, _ report: @escaping @Sendable (Int, SoakSample?) -> Void
    ) async throws {
        let life = SoakLife(
            store: store, keys: keys, clock: clock, meter: meter, counters: counters, seed: seed ^ number << 40)
        life.kept.store(store.statistics.syncedSequence, ordering: .relaxed)
        if number == 0 {
            for index in writers.indices { try await writers[index].fill(life) }
            measuringStart = .now
        }
        let (begin, writerCount) = (measuringStart, Self.writerCount)
        let path = path
        let measured = try await withThrowingTaskGroup(of: Ended.self) { group in
            for writer in writers {
                group.addTask {
                    var writer = writer
                    try await writer.run(life)
                    return .writer(writer)
                }
            }
            for reader in 0..<Self.readerCount {
                group.addTask {
                    try await life.read(reader, writers: writerCount)
                    return .other
                }
            }
            group.addTask {
                try await life.lookAtHeld()
                return .other
            }
            group.addTask {
                try await life.compactNowAndThen()
                return .other
            }
            group.addTask { .samples(await life.sample(since: begin, path, report)) }
            group.addTask {
                let end = ContinuousClock.now + length
                while ContinuousClock.now < end, !Task.isCancelled { await life.rest(milliseconds: 100) }
                life.end()
                return .other
            }
            var measured = SoakLife.Measured()
            for try await ended in group {
                switch ended {
                case .writer(let writer): writers[writer.number] = writer
                case .samples(let more): measured = more
                case .other: break
                }
            }
            return measured
        }
        samples += measured.samples
        marks += measured.compactions.map { Mark(time: $0, kind: .compaction) }
        life.held.withLock { $0 = [] }
        kept = life.kept.load(ordering: .relaxed)
        count()
    }

    private enum Ended: Sendable {
        case writer(SoakWriter)
        case samples(SoakLife.Measured)
        case other
    }

    /// Files that were replaced must go when nobody holds a state any more.
    private func waitForFiles(_ store: Store) async throws {
        for _ in 0..<2_000 {
            let statistics = store.statistics
            if statistics.heldFiles == 0, statistics.heldStates == 0, !statistics.compaction.isRunning { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        let statistics = store.statistics
        throw SoakFailure(
            "after 20 s \(statistics.heldFiles) files and \(statistics.heldStates) states are held, and nobody reads")
    }

    private func count() {
        summary.writes = meter.writes.value
        summary.reads = meter.reads.value
        summary.transactions = meter.transactions.value
        summary.conflicts = meter.conflicts.value
        summary.snapshots = meter.snapshots.value
        summary.requested = meter.requested.value
        summary.cancelled = meter.cancelled.value
    }

    // MARK: - Judging

    /// The whole store and the whole model, both ways, while nobody writes.
    private func compare(_ store: Store, _ report: @Sendable (Int, SoakSample?) -> Void) throws {
        let before = clock.now().milliseconds
        let snapshot = try store.readView()
        let times = before...clock.now().milliseconds
        for writer in writers {
            let check = SoakCheck(keys: keys, writer: writer.number)
            try check.compare(snapshot, writer.model, slots: 0..<keys.slots, reversed: false, at: times)
            try check.compareLookUps(snapshot, writer.model, at: times)
            report(meter.operations, nil)
        }
        for counter in 0..<SoakCounters.count {
            let found = SoakCounters.number(try snapshot.get(SoakCounters.key(counter))) ?? 0
            try expect(
                found == counters[counter],
                "counter \(counter) is \(found) after \(counters[counter]) transactions that counted it up")
        }
        // And nothing beside them.
        try snapshot.forEachKey(in: .upTo("w")) { key in
            let bytes = key.withUnsafeBytes { Array($0) }
            try expect(
                bytes.starts(with: "counter/".utf8), "a key of \(bytes.count) bytes that nobody wrote")
            return .next
        }
        try snapshot.forEachKey(in: .from("w\(writers.count)")) { key in
            throw SoakFailure("a key of \(key.byteCount) bytes that nobody wrote")
        }
    }

    /// The disk, and memory where it is judged, must have stopped growing.
    private func judge() throws {
        if judgesMemory { try expectFlat("memory", samples.compactMap(\.memory), slack: Self.memorySlack) }
        try expectFlat("disk", samples.map(\.disk), slack: Self.diskSlack)
        try expect(summary.compactions > 0 || seconds < 20, "the store was never compacted")
    }

    private func expectFlat(_ name: String, _ values: [Int], slack: Int) throws {
        guard !Flatness.isFlat(values, slack: slack), let (earlier, later) = Flatness.medians(values) else { return }
        throw SoakFailure(
            "\(name) grows: \(later) bytes is the median of the last third, and \(earlier) that of the one before")
    }
}

extension Duration {
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
