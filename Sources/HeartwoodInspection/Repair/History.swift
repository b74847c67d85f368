internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Receives the recovered batches.
protocol HistorySink {
    /// Adds a batch. Batches come in the order of their sequence numbers; those of one commit come one after the other.
    ///
    /// - Parameters:
    ///   - records: The records to take from the batch.
    ///   - lost: How many sequence numbers directly before it are lost.
    mutating func add(
        _ records: ArraySlice<FoundRecord>, of commit: FoundCommit, sequence: UInt64, lost: UInt64, from file: DataFile
    ) throws
}

/// The batches of all segments after a sequence number, in order. Each batch comes once, whatever the files are called
/// and however many copies of a file exist.
struct History {
    private let sources: RepairSources
    private let options: RepairOptions
    /// The base snapshot contains all batches up to this number.
    private let base: UInt64
    private(set) var report: RepairReport
    private var cursors: [LogCursor] = []
    private var nextSource = 0
    /// The next number if nothing is missing.
    private var expected: UInt64
    /// Where the last recovered batch ends.
    private var place: (file: String, offset: UInt64)?
    private var newestEnd: NewestEnd
    /// Whether batches were left out because of the options.
    private(set) var reachedLimit = false
    /// Damages whose lost numbers are not known yet.
    private var pending: ArraySlice<PendingDamage> = []
    private static let mostPending = 10_000

    init(_ sources: RepairSources, after base: UInt64, _ options: RepairOptions, _ report: RepairReport) {
        self.sources = sources
        self.base = base
        self.options = options
        self.report = report
        self.report.lastSequence = base
        expected = base + 1
        newestEnd = NewestEnd(sources.logs.last { !$0.isInPreparation })
    }

    /// The location after which the log does not tell whether more was written; nil if the log was closed in order.
    var openEnd: (file: String, offset: UInt64)? { newestEnd.place }

    /// The newest sequence number that is accounted for.
    var lastAccounted: UInt64 { expected - 1 }

    /// Passes all batches to a sink. O(bytes of the segments).
    mutating func run(into sink: inout some HistorySink, _ meter: inout ProgressMeter) throws {
        while let index = try nextCursor() {
            let batch = cursors[index].batch!
            if noteImpossible(batch, from: index) || isBeyond(batch, cursors[index].current!) {
                // The rest of this file is later still.
                finish(index)
                continue
            }
            if batch.sequence >= expected { try give(batch, from: index, to: &sink) }
            try advance(past: batch.sequence, &meter)
        }
        if !reachedLimit { noteTail() }
    }

    private mutating func isBeyond(_ batch: FoundBatch, _ commit: FoundCommit) -> Bool {
        if let limit = options.upToSequence, batch.sequence > limit {
            reachedLimit = true
        } else if let limit = options.upToTime, commit.time > limit {
            reachedLimit = true
        } else {
            return false
        }
        return true
    }

    /// Whether no store can reach a batch's sequence number. Then Heartwood did not write the data.
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

    /// The cursor with the lowest number; if several have it, the one whose batch is whole. nil at the end.
    private mutating func nextCursor() throws -> Int? {
        while true {
            let lowest = cursors.lazy.compactMap { $0.batch?.sequence }.min()
            // Segments usually follow one another, so the next one is opened only when its numbers are needed.
            if nextSource < sources.logs.count,
                lowest.map({ sources.logs[nextSource].header.firstSequence <= $0 }) ?? true
            {
                var cursor = try LogCursor(sources.logs[nextSource])
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
            // If two files have a whole batch with this number, take the file that starts at the later number.
            return standing.last { cursors[$0].batch!.isWhole } ?? standing.first
        }
    }

    /// Moves all cursors past a number, and removes those at their end.
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
        newestEnd.note(cursors[index])
        report.newestTime = max(report.newestTime, cursors[index].newestTime)
        let highest = cursors[index].source.isInPreparation ? 0 : cursors[index].highest
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
        let lost = noteLost(before: batch.sequence, in: source.file)
        dropPending(before: batch.sequence)
        try sink.add(records, of: commit, sequence: batch.sequence, lost: lost, from: source.file)
        expected = batch.sequence + 1
        place = (source.file.path, records.last.map(\.end) ?? 0)
        report.batches += 1
        report.records += UInt64(records.count)
        if commit.isBehindTear { report.batchesBehindTear += 1 }
        report.lastSequence = batch.sequence
    }

    /// Notes the numbers that are missing before a batch.
    ///
    /// - Returns: How many are lost; 0 if some of them were never assigned, or may not have been.
    private mutating func noteLost(before sequence: UInt64, in file: DataFile) -> UInt64 {
        guard sequence > expected else { return 0 }
        let missing = expected...sequence - 1
        let lost = sources.given.lost(in: missing)
        for part in lost { note(part, before: file) }
        return lost == [GivenNumbers.Lost(missing, isExact: true)] ? UInt64(missing.count) : 0
    }

    // MARK: - Losses

    private mutating func noteDamages(of index: Int) {
        let source = cursors[index].source
        for damage in cursors[index].takeDamages() where !source.isInPreparation {
            newestEnd.note(damage, in: source)
            var pending = PendingDamage(damage, in: source)
            // A loss names only its first few keys. The keys of very many damages would take much memory.
            if self.pending.count > 100 { (pending.keys, pending.perhapsKeys) = ([], []) }
            if pending.next > expected, self.pending.count < Self.mostPending { self.pending.append(pending) }
        }
    }

    /// Removes the damages whose numbers are all known by now, from the first on.
    private mutating func dropPending(before sequence: UInt64) {
        while let first = pending.first, first.next <= sequence { pending.removeFirst() }
        if pending.isEmpty { pending = [] }
    }

    /// Notes lost numbers: lost by known damage, or with missing files.
    private mutating func note(_ lost: GivenNumbers.Lost, before file: DataFile? = nil) {
        let numbers = lost.numbers
        let guilty = pending.filter { $0.expected <= numbers.upperBound && $0.next > numbers.lowerBound }
        dropPending(before: numbers.upperBound + 1)
        // If only the name of a file tells its numbers, the numbers may be wrong.
        let areNumbersKnown = file.map { !$0.isNumberedByName } ?? true && !guilty.contains(where: \.isNumberedByName)
        let isExact = lost.isExact && areNumbersKnown
        var loss = RepairReport.Loss(what: "in a file, or a part of one, that is missing", sequences: numbers)
        loss.isExact = isExact
        loss.isProven = isExact
        if let damage = guilty.first {
            loss.isProven = isExact && guilty.contains(where: \.isProven)
            loss.what = damage.isProven ? "damaged" : "torn, as by a crash"
            (loss.file, loss.offset, loss.length) = (damage.file, damage.offset, damage.length)
            loss.keys = Array(guilty.lazy.flatMap(\.keys).prefix(16))
            loss.perhapsKeys = Array(guilty.lazy.flatMap(\.perhapsKeys).prefix(16))
            loss.cause = damage.error
        } else if !isExact, let place {
            loss.what = "it is not known whether anything was written after this offset"
            (loss.file, loss.offset) = place
        } else if !isExact, let file {
            loss.what = "it is not known whether anything was written before this file"
            (loss.file, loss.offset) = (file.path, 0)
        }
        report.add(loss)
    }

    /// Notes what is known to have followed the last batch.
    private mutating func noteTail() {
        let highest = max(report.highestSequence, base)
        guard highest >= expected else { return }
        for part in sources.given.lost(in: expected...highest) { note(part) }
        expected = highest + 1
    }
}

/// The part of a damage that matters for the account of losses, without the data found in it.
private struct PendingDamage {
    var file: String
    var offset: UInt64
    var length: UInt64
    var error: FormatError
    var isProven: Bool
    /// Whether only the name of its file tells the numbers.
    var isNumberedByName: Bool
    /// The numbers that it may have cost: from `expected` on, below `next`.
    var expected: UInt64
    var next: UInt64
    var keys: [[UInt8]]
    var perhapsKeys: [[UInt8]]

    init(_ damage: LogDamage, in source: RepairSources.LogSource) {
        file = source.file.path
        (offset, length, error) = (damage.offset, damage.length, damage.error)
        isProven = damage.proof != nil
        isNumberedByName = source.file.isNumberedByName
        expected = damage.expected
        next = damage.next ?? source.successor.map { $0.lastSequence + 1 } ?? .max
        keys = damage.lostKeys(certain: true)
        perhapsKeys = damage.lostKeys(certain: false)
    }
}

/// How the newest segment ends. There may be copies of it.
private struct NewestEnd {
    private let header: FileHeader?
    private var isClosed = false
    private var tear: (file: String, offset: UInt64)?
    private var end: (file: String, offset: UInt64)?

    init(_ newest: RepairSources.LogSource?) {
        header = newest?.header
        end = newest.map { ($0.file.path, UInt64(FormatConstants.fileHeaderSize)) }
    }

    var place: (file: String, offset: UInt64)? { isClosed ? nil : tear ?? end }

    private func isNewest(_ source: RepairSources.LogSource) -> Bool {
        source.header.salt == header?.salt && source.header.firstSequence == header?.firstSequence
    }

    mutating func note(_ cursor: LogCursor) {
        guard let end = cursor.end, isNewest(cursor.source) else { return }
        if end.isClosed { isClosed = true }
        if end.offset >= self.end?.offset ?? 0 { self.end = (cursor.source.file.path, end.offset) }
    }

    mutating func note(_ damage: LogDamage, in source: RepairSources.LogSource) {
        guard tear == nil, damage.proof == nil, isNewest(source) else { return }
        tear = (source.file.path, damage.part.lowerBound)
    }
}
