internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Where what was recovered goes.
protocol HistorySink {
    /// A batch, in the order of the numbers; those of one commit come one after the other.
    ///
    /// - Parameters:
    ///   - records: What is to be taken of it.
    ///   - lost: How many numbers right before it are lost.
    mutating func add(
        _ records: ArraySlice<FoundRecord>, of commit: FoundCommit, sequence: UInt64, lost: UInt64, from file: DataFile
    ) throws
}

/// The batches of all segments behind a number, in their order; each once, whatever the files are called and however
/// many copies of one there are.
struct History {
    private let sources: [RepairSources.LogSource]
    private let options: RepairOptions
    /// Batches up to here are in the snapshot that they come behind.
    private let base: UInt64
    private(set) var report: RepairReport
    private var cursors: [LogCursor] = []
    private var nextSource = 0
    /// The number that comes next if nothing is missing.
    private var expected: UInt64
    /// Damages that were met, until it is known which numbers they cost.
    private var pending: [(file: String, damage: LogDamage)] = []

    init(_ sources: [RepairSources.LogSource], after base: UInt64, _ options: RepairOptions, _ report: RepairReport) {
        self.sources = sources
        self.base = base
        self.options = options
        self.report = report
        self.report.lastSequence = base
        expected = base + 1
    }

    /// Gives all of it to a sink. O(bytes of the segments).
    mutating func run(into sink: inout some HistorySink, _ meter: inout ProgressMeter) throws {
        while let index = try nextCursor() {
            let batch = cursors[index].batch!
            if noteImpossible(batch, from: index) || isBeyond(batch, cursors[index].current!) {
                // What follows in this file is later still.
                finish(index)
                continue
            }
            if batch.sequence >= expected { try give(batch, from: index, to: &sink) }
            try advance(past: batch.sequence, &meter)
        }
        noteTail()
    }

    private func isBeyond(_ batch: FoundBatch, _ commit: FoundCommit) -> Bool {
        if let limit = options.upToSequence, batch.sequence > limit { return true }
        if let limit = options.upToTime, commit.time > limit { return true }
        return false
    }

    /// Whether no store comes to a batch's number: what is there was made by somebody else.
    private mutating func noteImpossible(_ batch: FoundBatch, from index: Int) -> Bool {
        guard !FormatConstants.possibleSequences.contains(batch.sequence) else { return false }
        let (file, commit) = (cursors[index].source.file, cursors[index].current!)
        let offset = commit.records[batch.records.lowerBound].offset
        report.add(
            RepairReport.Loss(
                what: RepairReport.Loss.impossible, file: file.path, offset: offset, length: file.size - offset))
        return true
    }

    // MARK: - Merging

    /// The cursor with the lowest number, of several the one whose batch is whole; nil at the end.
    private mutating func nextCursor() throws -> Int? {
        while true {
            let lowest = cursors.lazy.compactMap { $0.batch?.sequence }.min()
            // Segments lie one behind the other, as a rule: the next one is opened when its numbers come.
            if nextSource < sources.count, lowest.map({ sources[nextSource].header.firstSequence <= $0 }) ?? true {
                var cursor = try LogCursor(sources[nextSource])
                nextSource += 1
                try cursor.advance()
                cursors.append(cursor)
                noteDamages(of: cursors.count - 1)
                if cursor.batch == nil { finish(cursors.count - 1) }
                continue
            }
            guard let lowest else { return nil }
            if cursors.count == 1 { return 0 }
            let standing = cursors.indices.filter { cursors[$0].batch?.sequence == lowest }
            return standing.first { cursors[$0].batch!.isWhole } ?? standing.first
        }
    }

    /// Moves all cursors behind a number, and lets go of those at their end.
    private mutating func advance(past sequence: UInt64, _ meter: inout ProgressMeter) throws {
        for index in cursors.indices {
            while let batch = cursors[index].batch, batch.sequence <= sequence {
                let before = cursors[index].position
                try cursors[index].advance()
                noteDamages(of: index)
                try meter.advance(cursors[index].position - before, records: batch.records.count)
            }
        }
        for index in cursors.indices.reversed() where cursors[index].batch == nil { finish(index) }
    }

    private mutating func finish(_ index: Int) {
        report.newestTime = max(report.newestTime, cursors[index].newestTime)
        let highest = cursors[index].highest
        if FormatConstants.possibleSequences.contains(highest) {
            report.highestSequence = max(report.highestSequence, highest)
        }
        cursors.remove(at: index)
    }

    // MARK: - Batches

    private mutating func give(_ batch: FoundBatch, from index: Int, to sink: inout some HistorySink) throws {
        let source = cursors[index].source
        let commit = cursors[index].current!
        var records = commit.records[batch.records]
        if !batch.isWhole {
            records = ArraySlice(records.filter(\.isIntact))
            guard !records.isEmpty else { return }
            guard options.keepsPartial else {
                report.batchesLeftOut += 1
                return
            }
            report.partialBatches += 1
        }
        let lost = noteLost(before: batch.sequence, source)
        pending.removeAll { ($0.damage.next ?? .max) <= batch.sequence }
        try sink.add(records, of: commit, sequence: batch.sequence, lost: lost, from: source.file)
        expected = batch.sequence + 1
        report.batches += 1
        report.records += UInt64(records.count)
        if commit.isBehindTear { report.batchesBehindTear += 1 }
        report.lastSequence = batch.sequence
    }

    /// Numbers that are missing before a batch; none where the store itself had jumped.
    private mutating func noteLost(before sequence: UInt64, _ source: RepairSources.LogSource) -> UInt64 {
        guard sequence > expected else { return 0 }
        var last = sequence - 1
        let isFirst = source.header.firstSequence == sequence && !source.file.isRebuilt
        // No number between the end that a segment records and its own first one was ever given; nor one before the
        // store's first segment, which after a repair may begin anywhere.
        if isFirst {
            if source.header.predecessor == nil, expected == 1 { return 0 }
            last = min(last, source.header.predecessor?.lastSequence ?? last)
        }
        guard last >= expected, !Self.isBeforeJump(last) || !isFirst else { return 0 }
        note(lost: expected...last)
        return last - expected + 1
    }

    private static func isBeforeJump(_ last: UInt64) -> Bool {
        last % FormatConstants.sequenceEpoch == FormatConstants.sequenceEpoch - 1
    }

    // MARK: - Losses

    private mutating func noteDamages(of index: Int) {
        for damage in cursors[index].takeDamages() { pending.append((cursors[index].source.file.path, damage)) }
    }

    /// Numbers are lost: by the damages that were met, or with files that aren't there.
    private mutating func note(lost: ClosedRange<UInt64>) {
        let guilty = pending.filter {
            $0.damage.expected <= lost.upperBound && ($0.damage.next ?? .max) > lost.lowerBound
        }
        pending.removeAll { ($0.damage.next ?? .max) <= lost.upperBound + 1 }
        guard let first = guilty.first else {
            report.add(RepairReport.Loss(what: "in a file, or a part of one, that is missing", sequences: lost))
            return
        }
        let damage = first.damage
        report.add(
            RepairReport.Loss(
                what: damage.proof == nil ? "torn, as by a crash" : "damaged", file: first.file, offset: damage.offset,
                length: damage.length, sequences: lost,
                keys: Array(guilty.flatMap { $0.damage.lostKeys(certain: true) }.prefix(16)),
                perhapsKeys: Array(guilty.flatMap { $0.damage.lostKeys(certain: false) }.prefix(16)),
                cause: damage.error))
    }

    /// What is known to have come behind the last batch.
    private mutating func noteTail() {
        guard options.upToSequence == nil, options.upToTime == nil else { return }
        let highest = max(report.highestSequence, base)
        guard highest >= expected, !Self.isBeforeJump(highest) else { return }
        note(lost: expected...highest)
    }
}
