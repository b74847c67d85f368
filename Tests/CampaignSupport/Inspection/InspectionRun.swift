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
    private let summary = Locked(Tally())
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
        var plan = WriterPlan(seed: seed, round: 0, writers: 4)
        plan.keys = keys
        plan.largeValues = (1, 0..<valueBytes)
        while !isOver.load(ordering: .acquiring) {
            var configuration = Store.Configuration()
            configuration.segmentBytes = max(64 << 10, keys * valueBytes / 8)
            configuration.compaction.minimumLogBytes = UInt64(keys * valueBytes)
            configuration.compression = .zlib(level: 1, threshold: 500)
            let store = try await Store.open(at: path, configuration: configuration)
            if plan.round == 0 {
                // The store has its full size before the first inspection. The writes of this writer are buffered.
                for number in 1...keys { _ = try await plan.operation(writer: 2, number: number).perform(on: store) }
            }
            plan.round += 1
            summary.withLock { $0.openings += 1 }
            // Those of this one have any durability.
            for number in 1...random.number(in: 50...2_000) where !isOver.load(ordering: .acquiring) {
                _ = try await plan.operation(writer: 3, number: number).perform(on: store)
                summary.withLock { $0.writes += 1 }
            }
            summary.withLock { $0.compactions += Int(store.statistics.compaction.completed) }
            // Sometimes closed in order, sometimes dropped like a killed process.
            if random.oneIn(2) { try await store.close() } else { try await store.sync() }
        }
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
            summary.withLock { $0.all += 1 }
            if number % 10 == 0 { report(summary.withLock { $0 }) }
        }
    }

    private func verify() throws {
        let result = try Verification.run(path, fileSystem: fileSystem)
        try expect(
            result.verdict == .clean && result.findings.isEmpty && result.opens,
            "verify says \(result.verdict): \(result.findings)")
        summary.withLock { summary in
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
        summary.withLock { $0.surveyed += 1 }
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
            summary.followed += 1
            summary.records += records
        }
    }
}
