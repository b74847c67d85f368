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
    package private(set) var samples: [SoakSample] = []
    package private(set) var marks: [Mark] = []
    package var summary: Tally { meter.summary }

    private let judgesMemory: Bool
    private let keys: SoakKeys
    private let clock = SoakClock()
    private let meter = SoakMeter()
    private let counters = SoakCounters()
    private var writers: [SoakWriter]
    /// The end of the first fill.
    private var measuringStart = ContinuousClock.now

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
        self.seed = seed
        self.seconds = seconds
        self.path = path
        self.judgesMemory = judgesMemory
        keys = SoakKeys(seed: seed, writers: Self.writerCount, slots: keysPerWriter)
        writers = (0..<Self.writerCount).map { SoakWriter(number: $0, slots: keysPerWriter) }
    }

    /// - Parameter report: Called about once a second, with the number of operations and the newest sample.
    /// - Throws: ``Violation``, or what the store throws. The store is left as it is.
    package func run(_ report: @escaping @Sendable (_ operations: Int, SoakSample?) -> Void) async throws {
        var random = SeededRandom(seed, 81)
        var number: UInt64 = 0
        var closes = true
        while time < Double(seconds) || number == 0 {
            let store = try await open()
            try await checkOpening(store, number: number, closed: closes, report)
            // The first life is as long as the others; the last ends with the run.
            let length = max(3, min(random.number(in: 15...60), seconds / 4))
            let left = Double(seconds) - (number == 0 ? 0 : time)
            let isLast = left < Double(length) + 3
            try await live(store, number, .seconds(isLast ? max(1, left) : Double(length)), report)
            number += 1
            closes = isLast || number.isMultiple(of: 2)
            // Not before a drop: buffered writes would reach the kernel meanwhile.
            if closes {
                try await waitForFiles(store)
                try compare(store, report)
            }
            try await end(store, closes: closes)
        }
        let store = try await open()
        try await checkOpening(store, number: number, closed: closes, report)
        try await store.close()
        try judge()
    }

    private var time: Double { (ContinuousClock.now - measuringStart) / .seconds(1) }

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

    /// Everything promised must have been recovered, and the store must equal the model.
    private func checkOpening(
        _ store: Store, number: UInt64, closed: Bool, _ report: @Sendable (Int, SoakSample?) -> Void
    ) async throws {
        let found = store.recoveryReport
        try expect(found.skippedFiles.isEmpty, "snapshots are damaged: \(found.skippedFiles)")
        if number == 0 { return try expect(found.lastSequence == 0, "the directory isn't new") }
        if closed {
            try expect(found.lastSequence == newest, "after a close \(found.lastSequence) was recovered, not \(newest)")
            try expect(found.tail == .closed, "after a close the tail is \(found.tail)")
        } else {
            try expect(
                found.lastSequence >= kept && found.lastSequence <= newest,
                "\(found.lastSequence) was recovered; \(kept) had to be kept, and \(newest) is the newest")
        }
        for index in writers.indices {
            meter.count("lostWrites", writers[index].reopen(at: found.lastSequence))
        }
        try compare(store, report)
    }

    private var newest: SequenceNumber = 0
    private var kept: SequenceNumber = 0

    /// Closes the store, or drops it like the death of the process.
    private func end(_ store: Store, closes: Bool) async throws {
        let statistics = store.statistics
        try expect(
            statistics.compaction.failed == 0, "a compaction failed: \(statistics.compaction.failure ?? "unknown")")
        newest = statistics.lastSequence
        meter.count("compactions", Int(statistics.compaction.completed))
        if closes { try await store.close() }
        meter.count(closes ? "closed" : "dropped")
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
                try await life.checkReadViews()
                return .other
            }
            group.addTask {
                try await life.compactOnRequest()
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
        life.readViews.withLock { $0 = [] }
        kept = life.kept.load(ordering: .relaxed)
    }

    private enum Ended: Sendable {
        case writer(SoakWriter)
        case samples(SoakLife.Measured)
        case other
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

    /// Compares the whole store with the whole model, in both directions, while no writer is active.
    private func compare(_ store: Store, _ report: @Sendable (Int, SoakSample?) -> Void) throws {
        let before = clock.now().milliseconds
        let view = try store.readView()
        let times = before...clock.now().milliseconds
        for writer in writers {
            let check = SoakCheck(keys: keys, writer: writer.number)
            try check.compare(view, writer.model, slots: 0..<keys.slots, reversed: false, at: times)
            try check.compareLookUps(view, writer.model, at: times)
            report(meter.operations, nil)
        }
        for counter in 0..<SoakCounters.count {
            let found = SoakCounters.number(try view.get(SoakCounters.key(counter))) ?? 0
            try expect(
                found == counters[counter],
                "counter \(counter) is \(found) after \(counters[counter]) transactions that counted it up")
        }
        // There are no other keys.
        try view.scan(.upTo("w")).forEachKey { key in
            let bytes = key.withUnsafeBytes { Array($0) }
            try expect(
                bytes.starts(with: "counter/".utf8), "a key of \(bytes.count) bytes that was never written")
            return .next
        }
        try view.scan(.from("w\(writers.count)")).forEachKey { key in
            throw Violation("a key of \(key.byteCount) bytes that was never written")
        }
    }

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
