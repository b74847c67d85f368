internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodInspection
internal import HeartwoodTesting
internal import Synchronization

/// Inspections of the files of a store that is meanwhile written to, compacted, closed and opened again. No inspection
/// may find a fault.
package final class InspectionRun: Sendable {
    private let path: String
    private let seed: UInt64
    private let keys: Int
    private let valueBytes: Int
    private let fileSystem = ReadingOnly(POSIXFileSystem())
    private let summary = Mutex(Tally())
    private let isOver = Atomic<Bool>(false)

    /// - Parameters:
    ///   - keys: The number of keys, with values of up to `valueBytes` bytes. They determine the size of the store.
    package init(path: String, seed: UInt64, keys: Int = 2_000, valueBytes: Int = 2_000) {
        self.path = path
        self.seed = seed
        self.keys = keys
        self.valueBytes = valueBytes
    }

    /// - Parameter report: Called after every tenth inspection.
    /// - Throws: ``Violation``.
    package func run(inspections: Int, _ report: (Tally) -> Void = { _ in }) async throws -> Tally {
        let writer = Task.detached { try await self.write() }
        while summary.withLock({ $0.openings }) == 0, !isOver.load(ordering: .acquiring) {
            try await Task.sleep(for: .milliseconds(5))
        }
        do {
            try inspect(inspections, report)
        } catch {
            isOver.store(true, ordering: .releasing)
            _ = try? await writer.value
            throw error
        }
        isOver.store(true, ordering: .releasing)
        try await writer.value
        try expect(fileSystem.refused == 0, "an inspection tried to do more than read, \(fileSystem.refused) times")
        return summary.withLock { $0 }
    }

    // MARK: - The writer

    private func write() async throws {
        defer { isOver.store(true, ordering: .releasing) }
        var random = SeededRandom(seed, 71)
        while !isOver.load(ordering: .acquiring) {
            var configuration = Store.Configuration()
            configuration.segmentBytes = max(64 << 10, keys * valueBytes / 8)
            configuration.compaction.minimumLogBytes = UInt64(keys * valueBytes)
            configuration.compression = .zlib(level: 1, threshold: 500)
            let store = try await Store.open(at: path, configuration: configuration)
            // The store has its full size before the first inspection.
            if summary.withLock({ $0.openings }) == 0 { try await fill(store, &random) }
            summary.withLock { $0.openings += 1 }
            for _ in 0..<Int.random(in: 50...2_000, using: &random) where !isOver.load(ordering: .acquiring) {
                try await write(to: store, &random)
            }
            summary.withLock { $0.compactions += Int(store.statistics.compaction.completed) }
            // Sometimes closed in order, sometimes dropped like a killed process.
            if Bool.random(using: &random) { try await store.close() } else { try await store.sync() }
        }
    }

    private func fill(_ store: Store, _ random: inout SeededRandom) async throws {
        for start in stride(from: 0, to: keys, by: 100) {
            var batch = store.makeBatch()
            for number in start..<min(start + 100, keys) {
                batch.put("key \(number)", value(&random))
            }
            try await store.write(batch, durability: .buffered)
        }
    }

    private func value(_ random: inout SeededRandom) -> [UInt8] {
        let length = Int.random(in: 0...valueBytes, using: &random)
        return ValuePattern(identity: random.next(), length: length).bytes
    }

    private func write(to store: Store, _ random: inout SeededRandom) async throws {
        let count = [1, 1, 1, 1, 5, 100].randomElement(using: &random)!
        let durability: Durability = [.buffered, .buffered, .buffered, .written, .synced].randomElement(using: &random)!
        var batch = store.makeBatch()
        for _ in 0..<count {
            let key = "key \(Int.random(in: 0..<keys, using: &random))"
            if Int.random(in: 0..<10, using: &random) == 0 {
                batch.remove(key)
            } else {
                batch.put(key, value(&random))
            }
        }
        try await store.write(batch, durability: durability)
        summary.withLock { $0.writes += 1 }
    }

    // MARK: - Inspections

    private func inspect(_ count: Int, _ report: (Tally) -> Void) throws {
        for number in 0..<count {
            try expect(!isOver.load(ordering: .acquiring), "the writer has failed")
            switch number % 3 {
            case 0: try verify()
            case 1: try survey()
            default: try follow()
            }
            if number % 10 == 0 { report(summary.withLock { $0 }) }
        }
    }

    private func verify() throws {
        let result = try Verification.run(path, fileSystem: fileSystem)
        try expect(
            result.verdict == .clean && result.findings.isEmpty && result.opens,
            "verify says \(result.verdict): \(result.findings)")
        summary.withLock { summary in
            summary.all += 1
            summary.verified += 1
            summary.bytes += Int(result.bytes)
        }
    }

    private func survey() throws {
        let survey = try StoreSurvey.make(
            of: path, cells: 32, now: SystemClock().now().milliseconds, fileSystem: fileSystem)
        try expect(
            survey.verdict == .clean && survey.findings.isEmpty,
            "inspect says \(survey.verdict): \(survey.findings)")
        for file in survey.files {
            try expect(
                file.bytes.all == file.size, "the bytes of \(file.name) are \(file.bytes), which isn't \(file.size)")
        }
        summary.withLock { summary in
            summary.all += 1
            summary.surveyed += 1
        }
    }

    /// Reads the log to its end.
    private func follow() throws {
        var last: UInt64 = 0
        var records = 0
        try LogReading.run(path, fileSystem: fileSystem) { item in
            switch item {
            case .file, .noted: break
            case .skipped(let finding):
                try expect(finding.severity == .note, "log says \(finding)")
                last = 0
            case .record(let record):
                try expect(record.state == .whole, "log says that \(record) isn't whole")
                try expect(record.sequence >= last, "\(record.sequence) came after \(last)")
                last = record.sequence
                records += 1
            }
            return true
        }
        summary.withLock { summary in
            summary.all += 1
            summary.followed += 1
            summary.records += records
        }
    }
}
