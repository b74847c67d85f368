internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Reads a whole log file and judges what is wrong with it.
struct LogExamination {
    /// The content of the file, as far as an opening would read it.
    var summary = LogSummary()
    private(set) var findings: [Finding] = []
    private var hasDamage = false
    private var walk: LogWalk
    private let path: String
    /// Whether an opening reads it.
    private let counts: Bool
    /// Whether compressed values are decompressed too.
    private let checksValues: Bool
    /// Compressed values of which only the checksum was checked.
    var valuesSkipped: UInt64 { walk.valuesSkipped }
    private var tornAt: UInt64?
    /// The next sequence number at the first tear.
    private var tornNext: UInt64?
    private var tornEnd: UInt64 = 0
    private var tornCause: FormatError?
    private var wholeBehindTear: UInt64 = 0
    /// The most findings. Each costs memory, and a thousand of them are enough.
    private static let mostFindings = 1_000
    private var progressed = UInt64(FormatConstants.fileHeaderSize)

    init(
        _ member: StoreFiles.Member, patience: LogWalk.Patience, checksValues: Bool = false
    ) throws(FileSystemError) {
        let counts = member.role == .log
        walk = try LogWalk(
            member.file, header: member.file.header!, successor: member.successor,
            patience: counts ? patience : .none, splits: .withinBatches)
        path = member.file.path
        self.counts = counts
        self.checksValues = checksValues
    }

    /// Reads the file to its end.
    ///
    /// - Parameters:
    ///   - onCommit: Called for each whole commit that an opening reads.
    ///   - onDamage: Called for each damaged part.
    mutating func run(
        _ meter: inout ProgressMeter, onCommit: (ScannedCommit) throws -> Void = { _ in },
        onDamage: (LogDamage) throws -> Void = { _ in }
    ) throws {
        while true {
            switch try walk.next() {
            case .commit:
                let commit = walk.commit
                if checksValues { try noteUnreadable(commit) }
                if walk.isBehindTear {
                    tornEnd = max(tornEnd, try walk.contentEnd(from: commit.offset, to: commit.end))
                    wholeBehindTear += commit.batchCount
                } else {
                    summary.add(commit)
                    try onCommit(commit)
                }
                try meter.advance(commit.end - progressed, records: commit.records.count)
                progressed = commit.end
            case .damage(let damage):
                note(damage)
                try onDamage(damage)
                try meter.advance(damage.part.upperBound - progressed, records: damage.records.count)
                progressed = damage.part.upperBound
            case .end(let end):
                try finish(end)
                try meter.advance(walk.file.size - min(progressed, walk.file.size), records: 0)
                return
            }
        }
    }

    private mutating func noteUnreadable(_ commit: ScannedCommit) throws {
        for (index, error) in try walk.unreadableRecords() where findings.count < Self.mostFindings {
            let record = commit.records[index]
            let key = commit.keys[record.keyStart..<record.keyStart + Int(record.header.keyLength)]
            findings.append(
                Finding(
                    .corruption, file: path, offset: record.offset, length: UInt64(record.header.encodedLength),
                    "a value verifies, and cannot be read back", lost: record.sequence...record.sequence,
                    keys: [Array(key)], cause: error))
        }
    }

    private mutating func note(_ damage: LogDamage) {
        hasDamage = true
        let isTold = summary.damagedParts.count < Self.mostFindings
        if isTold {
            summary.damagedParts.append(damage.part.lowerBound..<max(damage.part.lowerBound, damage.contentEnd))
        }
        guard let proof = damage.proof else {
            if tornAt == nil {
                (tornAt, tornNext, tornCause) = (damage.part.lowerBound, damage.expected, damage.error)
            }
            tornEnd = max(tornEnd, damage.contentEnd)
            wholeBehindTear += UInt64(damage.batches.count { $0.isWhole })
            return
        }
        if isTold { add(Finding(damage, proof, of: path, successor: walk.successor)) }
    }

    /// Adds a finding because of which an opening refuses, if it reads the file.
    private mutating func add(_ finding: Finding) {
        var finding = finding
        finding.refusesOpening = counts
        findings.append(finding)
    }

    private mutating func finish(_ end: LogEnd) throws {
        summary.end = end.offset
        summary.isClosed = end.isClosed
        summary.nextSequence = end.nextSequence
        if let tornAt {
            var what =
                "\(tornEnd - tornAt) bytes from here on were never known to be durable, as after a crash: "
                + "an opening passes them over"
            if wholeBehindTear > 0 { what += "; \(wholeBehindTear) whole batches are among them" }
            summary.torn = tornAt..<max(tornAt, tornEnd)
            findings.append(
                Finding(.torn, file: path, offset: tornAt, length: tornEnd - tornAt, what, cause: tornCause))
        }
        if case .unsupported(let error, let offset) = end.reason {
            // An opening does not read the data after a tear.
            findings.append(
                Finding(
                    .unsupported, file: path, offset: offset, "it was written by a newer version of Heartwood",
                    cause: error, refusesOpening: counts && tornAt == nil))
            return
        }
        guard let successor = walk.successor else { return noteImpossible(end) }
        if end.reason != .recorded {
            add(.cutShort(path, end, successor))
        } else if end.nextSequence != successor.lastSequence &+ 1, !hasDamage {
            add(.otherNumbers(path, end, successor))
        }
    }

    /// Notes numbers that an opening does not continue from: the next segment would get an invalid name.
    private mutating func noteImpossible(_ end: LogEnd) {
        let (next, epoch) = (tornNext ?? end.nextSequence, FormatConstants.sequenceEpoch)
        let isKept = end.isClosed && tornAt == nil && next != walk.header.firstSequence
        let last = isKept ? next - 1 : (next / epoch + 1) * epoch - 1
        guard last >= FormatConstants.sequences.upperBound - epoch, !findings.contains(where: \.refusesOpening) else {
            return
        }
        add(
            Finding(
                .corruption, file: path, offset: 0,
                "the numbers of the log are greater than those that a store assigns, so no store wrote it"))
    }

    /// Whether more was written after the end was read.
    func hasGrown() throws(FileSystemError) -> Bool {
        var scanner = SegmentScanner(
            source: try FileWindow(walk.file.file, size: 4096), header: walk.header, recordedEnd: nil)
        scanner.resume(at: summary.end, expecting: summary.nextSequence)
        var commit = ScannedCommit()
        if case .commit = try scanner.next(into: &commit) { return true }
        return false
    }
}

/// The content of a log file.
struct LogSummary {
    var commits: UInt64 = 0
    var marks: UInt64 = 0
    var batches: UInt64 = 0
    var records: UInt64 = 0
    /// The sequence numbers of its batches; nil if there are none.
    var sequences: ClosedRange<UInt64>?
    var times: ClosedRange<UInt64>?
    /// Where the last commit ends.
    var end: UInt64 = 0
    var nextSequence: UInt64 = 0
    var isClosed = false
    /// Bytes that an opening skips, as after a crash.
    var torn: Range<UInt64>?
    var damagedParts: [Range<UInt64>] = []

    mutating func add(_ commit: ScannedCommit) {
        let time = commit.header.time
        times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
        guard let last = commit.records.last?.sequence else {
            marks += 1
            return
        }
        if commit.isFirstPart { commits += 1 }
        batches += commit.batchCount
        records += UInt64(commit.records.count)
        let first = commit.header.firstSequence
        sequences = sequences.map { min($0.lowerBound, first)...max($0.upperBound, last) } ?? first...last
    }
}
