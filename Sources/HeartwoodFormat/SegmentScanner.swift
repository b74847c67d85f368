/// One record of a commit that was read and verified.
package struct ScannedRecord: Sendable {
    /// The offset of its header in the file.
    package var offset: UInt64
    package var header: RecordHeader
    /// Offset of its key in `ScannedCommit.keys`.
    package var keyStart: Int
    package var sequence: UInt64
}

/// One commit that was read and verified, or a part of a very large one: see `SegmentScanner.next`. Reused for the next
/// one, so its arrays keep their capacity.
package struct ScannedCommit: Sendable {
    package var offset: UInt64 = 0
    package var end: UInt64 = 0
    package var header = CommitHeader(bodyLength: 0, firstSequence: 0, syncedMark: 0, time: 0, recordCount: 0)
    package var records: [ScannedRecord] = []
    package var keys: [UInt8] = []
    /// How many batches end in this part of the commit.
    package var batchCount: UInt64 = 0
    package fileprivate(set) var batchesBefore: UInt64 = 0
    /// Whether this is the whole commit, or its first part.
    package fileprivate(set) var isFirstPart = true
    /// Whether the first record continues the batch of the previous part.
    package fileprivate(set) var beginsWithinBatch = false

    package init() {}

    /// The sequence number after the last batch that ends here.
    package var nextSequence: UInt64 { header.firstSequence &+ batchesBefore &+ batchCount }

    /// Where the first record begins.
    package var recordsOffset: UInt64 { isFirstPart ? offset + UInt64(FormatConstants.commitHeaderSize) : offset }

    /// Whether the last record says that its batch continues.
    fileprivate var batchIsOpen: Bool {
        records.last.map { $0.header.flags.contains(.batchContinues) } ?? beginsWithinBatch
    }
}

/// Where a very large commit may be split into parts.
package enum CommitSplitting: Sendable { case never, betweenBatches, withinBatches }

/// Walks over the commits of a segment and verifies every byte. Pure except for its source, and total.
package struct SegmentScanner<Source: SegmentBytes> {
    /// The most bytes that are requested from the source at once: the largest record header and key, and one piece of a
    /// value.
    package static var windowBytes: Int { 256 * 1024 }

    /// What is at the scanner's position.
    package enum Step {
        /// A whole commit. The scanner is now after it.
        case commit
        /// Nothing from which reading could continue.
        case stop(TailVerdict.Stop)
    }

    package var source: Source
    package let header: FileHeader
    /// Bytes from here on don't count: the file's size, or the end that its successor records.
    package internal(set) var limit: UInt64
    /// Where the next commit is expected.
    package internal(set) var position: UInt64
    /// The number that the next batch must have.
    package internal(set) var nextSequence: UInt64
    /// Whether the last commit was a closing mark.
    package internal(set) var isClosed = false
    /// The highest sync mark of the commits so far: every byte before it is known to have been durable.
    package private(set) var provenEnd: UInt64
    /// The time of the last commit.
    package private(set) var lastTime: UInt64 = 0
    /// Whether a very large commit is returned in parts. An opening takes commits whole: it couldn't undo a part that
    /// it applied if the file read differently the second time.
    package var splitting = CommitSplitting.never
    /// The rest of a large commit that was verified.
    var rest: RecordRun?
    /// The most records, or bytes of keys, that are kept at a time.
    private static var mostRecords: Int { 256 << 10 }
    private static var mostKeyBytes: Int { 16 << 20 }

    /// Adjacent records that are still to be read.
    struct RecordRun {
        var position: UInt64
        var end: UInt64
        var count: UInt32
    }

    /// A scanner at the first commit.
    ///
    /// - Parameter recordedEnd: The end that the successor's header records, if there is one.
    package init(source: Source, header: FileHeader, recordedEnd: UInt64? = nil) {
        self.source = source
        self.header = header
        limit = min(source.count, recordedEnd ?? .max)
        position = UInt64(FormatConstants.fileHeaderSize)
        provenEnd = position
        nextSequence = header.firstSequence
    }

    /// Reads the next commit into `commit`.
    ///
    /// A commit with very many records is returned in parts, so that memory is bounded. All of it is verified before
    /// the first part is returned.
    ///
    /// - Throws: What the source throws. Damage isn't thrown: it is a stop.
    package mutating func next(into commit: inout ScannedCommit) throws(Source.Failure) -> Step {
        if let rest { return try readPart(rest, into: &commit) }
        guard position < limit else { return .stop(stop(.end)) }
        switch try readHeader(at: position) {
        case .success(let header):
            return try readCommit(header, at: position, into: &commit)
        case .failure(.unsupported(let what)):
            return .stop(stop(.damage(.unsupported(what))))
        case .failure(let error):
            return try afterGap(or: error, into: &commit)
        }
    }

    // MARK: - Commits

    private func stop(_ reason: TailVerdict.Stop.Reason, at damage: UInt64? = nil) -> TailVerdict.Stop {
        TailVerdict.Stop(offset: position, reason: reason, damageOffset: damage ?? position)
    }

    private mutating func readHeader(
        at offset: UInt64
    ) throws(Source.Failure) -> Result<CommitHeader, FormatError> {
        let salt = header.salt
        let available = Int(min(limit - offset, UInt64(FormatConstants.commitHeaderSize)))
        return try source.withBytes(at: offset, count: available) { bytes in
            Result { () throws(FormatError) in try CommitHeader.decode(bytes, salt: salt, offset: offset) }
        }
    }

    /// No commit is at this offset. Zeros up to the next boundary that has a sync mark are the gap before that sync
    /// mark. Zeros up to the end of the file are the end.
    private mutating func afterGap(
        or error: FormatError, into commit: inout ScannedCommit
    ) throws(Source.Failure) -> Step {
        let boundary = markBoundary(from: position)
        if boundary > position, boundary < limit, try isZero(from: position, to: boundary) {
            switch try readHeader(at: boundary) {
            case .success(let mark) where mark.flags.contains(.mark) && mark.firstSequence == nextSequence:
                return try readCommit(mark, at: boundary, into: &commit)
            case .failure(.unsupported(let what)):
                return .stop(stop(.damage(.unsupported(what)), at: boundary))
            case .success, .failure:
                break
            }
        }
        if try isZero(from: position, to: limit) { return .stop(stop(.zeros)) }
        return .stop(stop(.damage(error)))
    }

    private mutating func readCommit(
        _ found: CommitHeader, at offset: UInt64, into commit: inout ScannedCommit
    ) throws(Source.Failure) -> Step {
        let body = offset + UInt64(FormatConstants.commitHeaderSize)
        guard found.bodyLength <= limit - min(body, limit), body <= limit else {
            return .stop(stop(.damage(.truncated)))
        }
        guard found.firstSequence == nextSequence else { return .stop(stop(.damage(.invalidField(.sequence)))) }
        commit.begin(found, at: offset)
        var run = RecordRun(position: body, end: body + found.bodyLength, count: found.recordCount)
        if let damage = try readRecords(&run, into: &commit) {
            return .stop(stop(.damage(damage), at: run.position))
        }
        commit.end = run.position
        if run.count > 0 { return try readLargeCommit(run, commit) }
        return finish(run, commit) ?? .commit
    }

    /// Verifies the rest of a commit whose first part was read.
    private mutating func readLargeCommit(
        _ rest: RecordRun, _ commit: ScannedCommit
    ) throws(Source.Failure) -> Step {
        var (run, part) = (rest, ScannedCommit())
        part.header = commit.header
        part.restart(after: commit)
        while run.count > 0 {
            if let damage = try readRecords(&run, into: &part, most: 1_024) {
                return .stop(stop(.damage(damage), at: run.position))
            }
            let last = part
            if run.count > 0 { part.restart(after: last) }
        }
        if let stop = finish(run, part, of: commit.offset) { return stop }
        self.rest = rest
        return .commit
    }

    /// Returns the next part of a commit that was verified.
    private mutating func readPart(
        _ rest: RecordRun, into commit: inout ScannedCommit
    ) throws(Source.Failure) -> Step {
        var run = rest
        self.rest = nil
        let (start, next) = (run.position, commit.nextSequence)
        commit.restart(after: commit)
        if let damage = try readRecords(&run, into: &commit) {
            // The file has changed since then.
            (position, nextSequence) = (start, next)
            return .stop(stop(.damage(damage), at: run.position))
        }
        commit.end = run.position
        if run.count > 0 { self.rest = run }
        return .commit
    }

    /// Reads records until the limits are reached. Returns the damage at the position, or nil.
    private mutating func readRecords(
        _ run: inout RecordRun, into commit: inout ScannedCommit, most: Int = Self.mostRecords
    ) throws(Source.Failure) -> FormatError? {
        while run.count > 0 {
            if let damage = try readRecord(at: run.position, end: run.end, into: &commit) { return damage }
            run.position += UInt64(commit.records[commit.records.count - 1].header.encodedLength)
            run.count -= 1
            guard commit.records.count < most, commit.keys.count < Self.mostKeyBytes else {
                if canSplit(commit) || most < Self.mostRecords { return nil }
                continue
            }
        }
        return nil
    }

    private func canSplit(_ commit: ScannedCommit) -> Bool {
        switch splitting {
        case .never: false
        case .betweenBatches: !commit.batchIsOpen
        case .withinBatches: true
        }
    }

    /// Moves after a commit whose last record was read. Returns a stop if the commit isn't complete.
    private mutating func finish(_ run: RecordRun, _ commit: ScannedCommit, of offset: UInt64? = nil) -> Step? {
        guard run.position == run.end else {
            return .stop(stop(.damage(.invalidField(.bodyLength)), at: offset ?? commit.offset))
        }
        if commit.batchIsOpen, let last = commit.records.last {
            return .stop(stop(.damage(.invalidField(.batch)), at: last.offset))
        }
        position = run.end
        nextSequence = commit.nextSequence
        isClosed = commit.header.flags.contains(.closing)
        provenEnd = max(provenEnd, commit.header.syncedMark)
        lastTime = max(lastTime, commit.header.time)
        return nil
    }

    // MARK: - Records

    /// Verifies a record and adds it to the commit. Returns the damage, or nil.
    private mutating func readRecord(
        at offset: UInt64, end: UInt64, into commit: inout ScannedCommit
    ) throws(Source.Failure) -> FormatError? {
        guard end - offset >= UInt64(FormatConstants.recordHeaderSize) else { return .invalidField(.bodyLength) }
        let salt = header.salt
        // Most records fit into one read: header, key and value together.
        let look = Int(min(end - offset, UInt64(Self.smallRecordBytes)))
        let sequence = header.firstSequence
        let expected = commit.nextSequence
        let flags = header.recordFlags
        let batchIsOpen = commit.batchIsOpen
        let marksBatches = header.marksBatches
        var found: RecordHeader?
        var isVerified = false
        let failure = try source.withBytes(at: offset, count: look) { bytes -> FormatError? in
            let record: RecordHeader
            do throws(FormatError) {
                record = try RecordHeader.decode(bytes, salt: salt, offset: offset, flags: flags)
            } catch {
                return error
            }
            guard UInt64(record.encodedLength) <= end - offset else { return .invalidField(.bodyLength) }
            guard sequence &+ record.sequenceDistance == expected else { return .invalidField(.sequence) }
            guard !marksBatches || record.flags.contains(.continuesBatch) == batchIsOpen else {
                return .invalidField(.batch)
            }
            found = record
            guard record.encodedLength <= bytes.count else { return nil }
            isVerified = true
            let payload = bytes.slice(
                FormatConstants.recordHeaderSize, record.encodedLength - FormatConstants.recordHeaderSize)
            guard CRC32C.checksum(payload) == record.payloadChecksum else { return .checksumMismatch }
            commit.addRecord(record, at: offset, key: payload.slice(0, Int(record.keyLength)))
            return nil
        }
        guard let record = found, failure == nil else { return failure ?? .truncated }
        return isVerified ? nil : try readLargeRecord(record, at: offset, into: &commit)
    }

    /// Verifies the payload in pieces, so that a value of a gigabyte is never in memory.
    private mutating func readLargeRecord(
        _ record: RecordHeader, at offset: UInt64, into commit: inout ScannedCommit
    ) throws(Source.Failure) -> FormatError? {
        let start = offset + UInt64(FormatConstants.recordHeaderSize)
        let end = offset + UInt64(record.encodedLength)
        let keyLength = Int(record.keyLength)
        let crc = try source.withBytes(at: start, count: keyLength) { bytes -> UInt32? in
            guard bytes.count == keyLength else { return nil }
            commit.addRecord(record, at: offset, key: bytes)
            return CRC32C.checksum(bytes)
        }
        var allowance = UInt64.max
        guard let crc,
            let checksum = try source.checksum(
                of: start + UInt64(keyLength)..<end, continuing: crc, allowance: &allowance)
        else { return .truncated }
        return checksum == record.payloadChecksum ? nil : .checksumMismatch
    }

    private static var smallRecordBytes: Int { 4096 }

    private mutating func isZero(from start: UInt64, to end: UInt64) throws(Source.Failure) -> Bool {
        try source.forEachPiece(of: start..<end) { $1.isZero }
    }
}

extension ScannedCommit {
    fileprivate mutating func begin(_ header: CommitHeader, at offset: UInt64) {
        self.offset = offset
        self.header = header
        records.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
        (batchCount, batchesBefore, isFirstPart, beginsWithinBatch) = (0, 0, true, false)
    }

    /// Continues with the next part of the same commit.
    fileprivate mutating func restart(after part: ScannedCommit) {
        (offset, isFirstPart, beginsWithinBatch) = (part.end, false, part.batchIsOpen)
        (batchesBefore, batchCount) = (part.batchesBefore + part.batchCount, 0)
        records.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
    }

    fileprivate mutating func addRecord(_ header: RecordHeader, at offset: UInt64, key: UnsafeRawBufferPointer) {
        records.append(
            ScannedRecord(offset: offset, header: header, keyStart: keys.count, sequence: nextSequence))
        keys.append(contentsOf: key)
        if !header.flags.contains(.batchContinues) { batchCount += 1 }
    }
}
