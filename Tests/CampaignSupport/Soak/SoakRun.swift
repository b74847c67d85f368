internal import Heartwood
internal import HeartwoodConcurrency
import HeartwoodTesting
import Synchronization

/// A store in use for a long time on a real file system: writers, readers, read views, compactions and reopenings. It
/// is compared with a model in memory, and measured once a second.
package final class SoakRun {
    /// An event, and its time in seconds since the beginning.
    package struct Mark: Sendable, Hashable {
        package enum Kind: Sendable, Hashable { case compaction, closed, dropped }

        package var time: Double
        package var kind: Kind
    }

    package let seed: UInt64
    package let seconds: Int
    package let path: String

    private let judgesMemory: Bool
    private let keysPerWriter: Int
    private let clock = SoakClock()
    private let meter = Locked(SoakMeter())
    private let start = ContinuousClock.now
    private var expected = ExpectedStore()
    /// The last number of the opening that ended.
    private var newest: SequenceNumber = 0

    private static let writerCount = 4
    private static let readerCount = 2
    /// Growth that is tolerated: one compaction more or less, and the allocator.
    private static let memorySlack = 16 << 20
    private static let diskSlack = 32 << 20

    /// - Parameters:
    ///   - path: The path of the new store.
    ///   - judgesMemory: Whether growing memory is a failure. The memory is that of the whole process, which must do
    ///     nothing else then.
    package init(seed: UInt64, seconds: Int, path: String, keysPerWriter: Int = 6_000, judgesMemory: Bool) {
        (self.seed, self.seconds, self.path) = (seed, seconds, path)
        (self.judgesMemory, self.keysPerWriter) = (judgesMemory, keysPerWriter)
    }

    package var summary: Tally { meter.withLock { $0.totals } }
    package var samples: [SoakSample] { meter.withLock { $0.samples } }
    package var marks: [Mark] { meter.withLock { $0.marks } }

    /// - Parameter report: Called about once a second, with the number of operations and the newest sample.
    /// - Throws: ``Violation``, or what the store throws. The store is left as it is.
    package func run(_ report: @escaping @Sendable (_ operations: Int, SoakSample?) -> Void) async throws {
        var random = SeededRandom(seed, 81)
        var before: Ended?
        var closes = true
        repeat {
            let store = try await open()
            try check(store, after: before, wasClosed: closes)
            report(summary.writes + summary.reads, nil)
            let length = max(3, min(random.number(in: 15...60), seconds / 4))
            let left = Double(seconds) - time
            let isLast = left < Double(length) + 3
            let round = (before?.plan.round ?? -1) + 1
            before = try await live(store, round, .seconds(isLast ? max(1, left) : Double(length)), report)
            closes = isLast || !round.isMultiple(of: 2)
            // Not before a drop: buffered writes would reach the kernel meanwhile.
            if closes { try await waitForFiles(store) }
            try await end(store, closes: closes)
        } while time < Double(seconds)
        let store = try await open()
        try check(store, after: before, wasClosed: true)
        try await store.close()
        try judge()
    }

    /// An opening that has ended: what was to be written, and what was acknowledged.
    private typealias Ended = (plan: WriterPlan, acknowledgements: [Acknowledgement])

    private var time: Double { (ContinuousClock.now - start) / .seconds(1) }

    // MARK: - Opening and ending

    private func open() async throws -> Store {
        var configuration = Store.Configuration()
        configuration.segmentBytes = 4 << 20
        configuration.compaction.minimumLogBytes = 16 << 20
        configuration.clock = clock
        configuration.compression = seed % 2 == 0 ? .off : .zlib()
        let (path, chosen) = (path, configuration)
        return try await openWhenUnlocked { try await Store.open(at: path, configuration: chosen) }
    }

    /// Everything promised must have been recovered, and nothing else.
    private func check(_ store: Store, after ended: Ended?, wasClosed: Bool) throws {
        let found = store.recoveryReport
        guard let ended else { return try expect(found.lastSequence == 0, "the directory isn't new") }
        if wasClosed {
            try expect(found.lastSequence == newest, "after a close \(found.lastSequence) was recovered, not \(newest)")
            try expect(found.tail == .closed, "after a close the tail is \(found.tail)")
        }
        let findings = try expected.judge(ended.acknowledgements, of: ended.plan, in: store, clock: clock)
        meter.withLock { $0.totals.lostWrites += findings.lostBuffered }
    }

    /// Closes the store, or drops it like the death of the process.
    private func end(_ store: Store, closes: Bool) async throws {
        let statistics = store.statistics
        try expect(
            statistics.compaction.failed == 0, "a compaction failed: \(statistics.compaction.failure ?? "unknown")")
        newest = statistics.lastSequence
        if closes { try await store.close() }
        let mark = Mark(time: time, kind: closes ? .closed : .dropped)
        meter.withLock { meter in
            meter.totals.compactions += Int(statistics.compaction.completed)
            meter.totals[closes ? "closed" : "dropped"] += 1
            meter.marks.append(mark)
        }
    }

    // MARK: - One opening

    private func live(
        _ store: Store, _ round: Int, _ length: Duration, _ report: @escaping @Sendable (Int, SoakSample?) -> Void
    ) async throws -> Ended {
        var plan = WriterPlan(seed: seed, round: round, writers: Self.writerCount)
        plan.keys = keysPerWriter
        plan.largeValues = (256, 4_000..<65_536)
        plan.start = clock.now().milliseconds
        let life = SoakLife(store, plan, clock, meter)
        let (begin, path) = (start, path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<Self.writerCount {
                let contents = expected.contents.keys(of: writer)
                group.addTask { try await life.write(writer, contents) }
            }
            for reader in 0..<Self.readerCount { group.addTask { try await life.keepReading(reader) } }
            group.addTask { try await life.checkReadViews() }
            group.addTask { try await life.compactOnRequest() }
            group.addTask { await life.sample(since: begin, path, report) }
            group.addTask {
                let end = ContinuousClock.now + length
                while ContinuousClock.now < end, !Task.isCancelled { await life.rest(milliseconds: 100) }
                life.end()
            }
            try await group.waitForAll()
        }
        life.readViews.withLock { $0 = [] }
        return (plan, life.acknowledgements.withLock { $0 })
    }

    /// Replaced files must be deleted once nothing is pinned.
    private func waitForFiles(_ store: Store) async throws {
        for _ in 0..<2_000 {
            let statistics = store.statistics
            if statistics.pinnedFiles == 0, statistics.pinnedStates == 0, !statistics.compaction.isRunning { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        let statistics = store.statistics
        throw Violation(
            "after 20 s without readers \(statistics.pinnedFiles) files and \(statistics.pinnedStates) states are held")
    }

    // MARK: - Judging

    /// Disk use, and memory where it is judged, must have stopped growing.
    private func judge() throws {
        if judgesMemory { try expectFlat("memory", samples.compactMap(\.memory), slack: Self.memorySlack) }
        try expectFlat("disk", samples.map(\.disk), slack: Self.diskSlack)
        try expect(summary.compactions > 0 || seconds < 20, "the store was never compacted")
    }

    private func expectFlat(_ name: String, _ values: [Int], slack: Int) throws {
        guard !Flatness.isFlat(values, slack: slack), let (earlier, later) = Flatness.medians(values) else { return }
        throw Violation(
            "\(name) grows: the median of the last third is \(later) bytes, that of the second third \(earlier)")
    }
}
