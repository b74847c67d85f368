internal import Heartwood
internal import HeartwoodFormat
internal import HeartwoodTesting

/// Damage to durable bytes. Every sector of a closed store is zeroed, filled with noise, gets a bit flipped, or is
/// swapped with another. The result must be the whole state, or an error that names the file.
package final class DamageExploration {
    package let workload: Workload
    /// Runs, damages, those that an opening refused, those that a read refused, and harmless ones: of bytes after a
    /// recorded end, or in the closing mark itself.
    package private(set) var totals = Tally()
    private let length: Int

    package init(_ workload: Workload, length: Int) { (self.workload, self.length) = (workload, length) }

    /// Damages that an opening or a read refused.
    package var refusedCount: Int { totals.refused + totals.refusedByReads }

    /// - Throws: `ExplorationFailure`.
    package func explore(seed: UInt64, until wanted: Int, progress: () -> Void = {}) async throws {
        let run = WorkRun(workload, seed: seed, length: length, closesAtTheEnd: true)
        try await run.run()
        totals.runs += 1
        let image = run.disk.image
        let expectation = try run.timeline().expectation(after: run.disk.trace.events.count, keepsAll: true)
        let logs = image.files.filter { $0.hasSuffix(".log") }
        let snapshots = image.files.filter { $0.hasSuffix(".snapshot") }
        var ends = try Self.ends(of: logs, in: image)
        var records: [String: Range<Int>] = [:]
        if let newest = snapshots.last {
            // Files that it covers are left only because a read view was open until the end.
            for file in try Self.covered(by: newest, logs, in: image) + snapshots.dropLast() { ends[file] = 0 }
            ends[newest] = image[path: newest]!.count
            records[newest] =
                try FormatConstants
                .fileHeaderSize..<Int(FileLayout.footer(ofSnapshot: image[path: newest]!).keySectionOffset)
        }
        var random = SeededRandom(seed, 14)
        for log in snapshots + logs {
            let bytes = image[path: log]!
            for start in stride(from: 0, to: bytes.count, by: 512) {
                for kind in Kind.allCases {
                    if totals.damages >= wanted { return }
                    let damaged = kind.damage(bytes, start, &random)
                    guard damaged != bytes else { continue }
                    var copy = image
                    copy[path: log] = damaged
                    let isMark = log == logs.last && start + 512 > bytes.count - FormatConstants.commitHeaderSize
                    let first = zip(bytes, damaged).enumerated().first { $1.0 != $1.1 }!.offset
                    // A record of a snapshot isn't read if its key was written again.
                    let isAlive = first < ends[log]! && !records[log, default: 0..<0].contains(first)
                    do {
                        try judge(copy, log, expectation, mustRefuse: isAlive && !isMark, mayLoseMark: isMark)
                    } catch {
                        throw ExplorationFailure(
                            title: "\(workload), seed \(seed), \(kind) at \(start) of \(log)", cause: error, lines: [],
                            repetition: "--workload \(workload) --seed \(seed) --length \(length)")
                    }
                    totals.damages += 1
                    progress()
                }
            }
        }
    }

    /// The logs that a snapshot covers: those that precede the log after its end.
    private static func covered(by snapshot: String, _ logs: [String], in image: DiskImage) throws -> [String] {
        let end = try header(of: snapshot, in: image).predecessor
        return try Array(logs.prefix { try header(of: $0, in: image).predecessor != end })
    }

    private static func header(of file: String, in image: DiskImage) throws -> FileHeader {
        try image[path: file]!.withUnsafeBytes { try FileHeader.decode($0) }
    }

    /// The end of each log's data: as its successor records it; for the newest log its last byte.
    private static func ends(of logs: [String], in image: DiskImage) throws -> [String: Int] {
        var ends: [String: Int] = [:]
        for (log, next) in zip(logs, logs.dropFirst()) {
            ends[log] = Int(try header(of: next, in: image).predecessor!.endOffset)
        }
        if let newest = logs.last { ends[newest] = image[path: newest]!.count }
        return ends
    }

    enum Kind: CaseIterable {
        case zeros, noise, bit, swap

        func damage(_ bytes: [UInt8], _ start: Int, _ random: inout SeededRandom) -> [UInt8] {
            var bytes = bytes
            let end = min(bytes.count, start + 512)
            switch self {
            case .zeros: for index in start..<end { bytes[index] = 0 }
            case .noise: for index in start..<end { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
            case .bit: bytes[random.number(in: start...(end - 1))] ^= 1 << UInt8(random.below(8))
            case .swap:
                let other = random.below(bytes.count / 512) * 512
                guard other + 512 <= bytes.count, start + 512 <= bytes.count else { break }
                for index in 0..<512 { bytes.swapAt(start + index, other + index) }
            }
            return bytes
        }
    }

    /// - Parameters:
    ///   - mustRefuse: Whether damaged bytes were known to be durable; they may be zeros.
    ///   - mayLoseMark: Whether the closing mark may be damaged. Then the end isn't proven.
    private func judge(
        _ image: DiskImage, _ log: String, _ expectation: Expectation, mustRefuse: Bool, mayLoseMark: Bool
    ) throws {
        let clock = ManualClock(milliseconds: expectation.clock)
        let store: Store
        do throws(StoreError) {
            store = try Store(
                openingAt: WorkRun.path, configuration: .quiet(SimulatedDisk(image: image), clock))
        } catch {
            try expect(error.code == .corruption || error.code == .unsupportedFormat, "damage became \(error)")
            guard let file = error.file, image.files.contains(file) else {
                throw Violation("the error names no file: \(error)")
            }
            totals.refused += 1
            return
        }
        try expect(!mustRefuse || log.hasSuffix(".snapshot"), "durable bytes are damaged, and the store opens")
        let recovered = store.recoveryReport.lastSequence
        guard let state = expectation.chain.state(at: recovered) else {
            throw Violation("number \(recovered) was recovered, which no write has")
        }
        do {
            try StoreContents.compare(store, with: state, now: store.now.milliseconds)
        } catch let error as StoreError {
            // An opening reads the keys of a snapshot, but not its records.
            guard log.hasSuffix(".snapshot"), error.code == .corruption, error.file == log else { throw error }
            totals.refusedByReads += 1
            return
        }
        // If a read view was open until the end, the covered log still exists and replaces the snapshot.
        try expect(
            !mustRefuse || store.recoveryReport.skippedFiles == [log], "durable bytes are damaged, and all is read")
        // A close makes every accepted write durable, whatever durability it asked for.
        try expect(
            recovered == expectation.high || mayLoseMark,
            "the store was closed with number \(expectation.high), and silently opens with \(recovered)")
        totals.harmless += 1
    }
}
