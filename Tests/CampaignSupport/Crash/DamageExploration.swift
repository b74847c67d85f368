internal import Heartwood
internal import HeartwoodFormat
internal import HeartwoodTesting

/// Damage to bytes that were durable: every sector of a store that was closed in order is zeroed, filled with noise,
/// has a bit flipped, or is swapped with another. What comes of it is the whole state, or an error that names the file.
package final class DamageExploration {
    /// What was done.
    package struct Totals: Sendable {
        package var runs = 0
        package var damages = 0
        /// Damages that refused to open.
        package var refused = 0
        /// Damages that opening doesn't meet, and that a read refused.
        package var refusedByReads = 0
        /// Damages of bytes that don't matter: behind a recorded end, or the closing mark itself.
        package var harmless = 0
    }

    package let workload: Workload
    package private(set) var totals = Totals()
    private let length: Int

    package init(_ workload: Workload, length: Int) {
        self.workload = workload
        self.length = length
    }

    /// - Throws: `Violation`.
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
            // What it covers is there only because somebody held a state to the end.
            for file in try Self.covered(by: newest, logs, in: image) + snapshots.dropLast() { ends[file] = 0 }
            ends[newest] = image[path: newest]!.count
            records[newest] = try FormatConstants.fileHeaderSize..<Self.keySection(of: newest, in: image)
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
                    // A record of a snapshot may be of a key that was written again since: nobody reads it then.
                    let isAlive = first < ends[log]! && !records[log, default: 0..<0].contains(first)
                    do {
                        try judge(copy, log, expectation, mustRefuse: isAlive && !isMark, mayLoseMark: isMark)
                    } catch {
                        throw Violation("seed \(seed), \(kind) at \(start) of \(log): \(error)")
                    }
                    totals.damages += 1
                    progress()
                }
            }
        }
    }

    /// The logs that a snapshot covers: those before the one that follows its end.
    private static func covered(by snapshot: String, _ logs: [String], in image: DiskImage) throws -> [String] {
        let end = try header(of: snapshot, in: image).predecessor
        return try Array(logs.prefix { try header(of: $0, in: image).predecessor != end })
    }

    private static func keySection(of snapshot: String, in image: DiskImage) throws -> Int {
        let salt = try header(of: snapshot, in: image).salt
        return try image[path: snapshot]!.withUnsafeBytes { bytes in
            let offset = bytes.count - SnapshotFooter.encodedSize
            let footer = try SnapshotFooter.decode(
                UnsafeRawBufferPointer(rebasing: bytes[offset...]), salt: salt, offset: UInt64(offset))
            return Int(footer.keySectionOffset)
        }
    }

    private static func header(of file: String, in image: DiskImage) throws -> FileHeader {
        try image[path: file]!.withUnsafeBytes { bytes in
            try FileHeader.decode(UnsafeRawBufferPointer(rebasing: bytes[..<FormatConstants.fileHeaderSize]))
        }
    }

    /// Where what matters of each log ends: where its successor says, or the newest with its last byte.
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
    ///   - mustRefuse: Whether bytes are damaged that were known to be durable, be they zeros.
    ///   - mayLoseMark: Whether the closing mark may be among what is damaged; then the end isn't proven.
    private func judge(
        _ image: DiskImage, _ log: String, _ expectation: Expectation, mustRefuse: Bool, mayLoseMark: Bool
    ) throws {
        var configuration = Store.Configuration()
        configuration.fileSystem = SimulatedDisk(image: image)
        configuration.clock = ManualClock(milliseconds: expectation.clock)
        configuration.commitBufferBytes = 64 << 10
        let store: Store
        do throws(StoreError) {
            store = try Store(openingAt: WorkRun.path, configuration: configuration)
        } catch {
            guard error.code == .corruption || error.code == .unsupportedFormat else {
                throw Violation("damage became \(error)")
            }
            guard let file = error.file, image.files.contains(file) else {
                throw Violation("the error names no file: \(error)")
            }
            totals.refused += 1
            return
        }
        guard !mustRefuse || log.hasSuffix(".snapshot") else {
            throw Violation("durable bytes are damaged, and the store opens")
        }
        let recovered = store.recoveryReport.lastSequence
        guard let state = expectation.chain.state(at: recovered) else {
            throw Violation("number \(recovered) was recovered, which no write has")
        }
        do {
            try StoreContents.compare(store, with: state, now: expectation.clock)
        } catch let error as StoreError {
            // Opening reads a snapshot's keys, and not its records.
            guard log.hasSuffix(".snapshot"), error.code == .corruption, error.file == log else { throw error }
            totals.refusedByReads += 1
            return
        }
        // Where somebody held a state to the end, the log that a snapshot covers is still there, and serves in its
        // place.
        guard !mustRefuse || store.recoveryReport.passedOver == [log] else {
            throw Violation("durable bytes are damaged, and all is read")
        }
        // A close in order keeps all that was accepted, whatever was asked for it.
        guard recovered == expectation.high || mayLoseMark else {
            throw Violation(
                "the store was closed with number \(expectation.high), and opens with \(recovered) in silence")
        }
        totals.harmless += 1
    }
}
