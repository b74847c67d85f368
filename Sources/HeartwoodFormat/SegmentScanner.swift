/// Where the bytes of a segment come from: a file, a mapping, an array. The only thing that the scanner asks of I/O.
package protocol SegmentBytes {
    associatedtype Failure: Error
    /// The size of the file, in bytes.
    var count: UInt64 { get }
    /// Calls `body` with the bytes from `offset` on: `count` of them, fewer only at the end of the file.
    ///
    /// - Precondition: `count` is at most `SegmentScanner.windowBytes`.
    mutating func withBytes<R>(
        at offset: UInt64, count: Int, _ body: (UnsafeRawBufferPointer) -> R
    ) throws(Failure) -> R
    /// The next part, from `offset` on, that may hold something other than zeros; nil where only zeros follow.
    mutating func nextData(from offset: UInt64) throws(Failure) -> Range<UInt64>?
}

extension SegmentBytes {
    /// All bytes exist, unless the source says otherwise.
    package mutating func nextData(from offset: UInt64) throws(Failure) -> Range<UInt64>? {
        offset < count ? offset..<count : nil
    }

    /// Calls `body` with the bytes of a range that may not be zeros, in order, `most` at a time at the most. Holes are
    /// passed over, so this is O(bytes that exist).
    ///
    /// - Parameter body: Given the offset of a piece and its bytes; false ends it.
    /// - Returns: False where `body` said so, or where the file ends before the range does.
    package mutating func forEachPiece(
        of range: Range<UInt64>, most: Int = 256 << 10, _ body: (UInt64, UnsafeRawBufferPointer) -> Bool
    ) throws(Failure) -> Bool {
        var at = range.lowerBound
        while at < range.upperBound, let data = try nextData(from: at), data.lowerBound < range.upperBound {
            at = max(at, data.lowerBound)
            let wanted = Int(min(UInt64(most), min(data.upperBound, range.upperBound) - at))
            let start = at
            guard try withBytes(at: start, count: wanted, { $0.count == wanted && body(start, $0) }) else {
                return false
            }
            at += UInt64(wanted)
        }
        return true
    }

    /// How many bytes of a range may not be zeros. O(holes).
    package mutating func existingBytes(of range: Range<UInt64>) throws(Failure) -> UInt64 {
        var (existing, at) = (0 as UInt64, range.lowerBound)
        while at < range.upperBound, let data = try nextData(from: at), data.lowerBound < range.upperBound {
            at = min(data.upperBound, range.upperBound)
            existing += at - data.lowerBound
        }
        return existing
    }

    /// Where the last byte of a range ends that isn't zero; its start where all are. O(bytes that exist).
    package mutating func contentEnd(of range: Range<UInt64>) throws(Failure) -> UInt64 {
        var last = range.lowerBound
        _ = try forEachPiece(of: range) { offset, bytes in
            if !bytes.isZero, let index = bytes.lastIndex(where: { $0 != 0 }) { last = offset + UInt64(index) + 1 }
            return true
        }
        return last
    }

    /// The checksum of a range of bytes that follow bytes whose checksum is `crc`; nil where the file ends before.
    /// O(bytes that exist).
    ///
    /// - Parameter allowance: How many bytes may be read, which are taken off; where it doesn't suffice, nil.
    package mutating func checksum(
        of range: Range<UInt64>, continuing crc: UInt32, allowance: inout UInt64
    ) throws(Failure) -> UInt32? {
        guard range.upperBound <= count else { return nil }
        var (crc, done, left) = (crc, range.lowerBound, allowance)
        let isRead = try forEachPiece(of: range) { offset, bytes in
            // What a hole costs is finding its end.
            let cost = UInt64(bytes.count) + (offset > done ? 512 : 0)
            guard cost <= left else { return false }
            left -= cost
            crc = CRC32C.checksum(bytes, continuing: CRC32C.checksum(zeros: offset - done, continuing: crc))
            done = offset + UInt64(bytes.count)
            return true
        }
        allowance = left
        return isRead ? CRC32C.checksum(zeros: range.upperBound - done, continuing: crc) : nil
    }
}

/// One record of a commit that was read and verified.
package struct ScannedRecord: Sendable {
    /// The offset of its header in the file.
    package var offset: UInt64
    package var header: RecordHeader
    /// Where its key lies in `ScannedCommit.keys`.
    package var keyStart: Int
    package var sequence: UInt64
}

/// One commit that was read and verified, or a part of a very large one: see `SegmentScanner.next`. Used again for the
/// next: its arrays keep their room.
package struct ScannedCommit: Sendable {
    package var offset: UInt64 = 0
    package var end: UInt64 = 0
    package var header = CommitHeader(bodyLength: 0, firstSequence: 0, syncedMark: 0, time: 0, recordCount: 0)
    package var records: [ScannedRecord] = []
    package var keys: [UInt8] = []
    /// How many batches end here, and in the commit's parts before this one.
    package var batchCount: UInt64 = 0
    package fileprivate(set) var batchesBefore: UInt64 = 0
    /// Whether this is the whole commit, or its first part.
    package fileprivate(set) var isFirstPart = true
    /// Whether the first record belongs to the batch of the part before.
    package fileprivate(set) var beginsWithinBatch = false

    package init() {}

    /// The sequence number after the last batch that ends here.
    package var nextSequence: UInt64 { header.firstSequence &+ batchesBefore &+ batchCount }

    /// Where the first record begins.
    package var recordsOffset: UInt64 { isFirstPart ? offset + UInt64(FormatConstants.commitHeaderSize) : offset }

    /// Whether the last record says that its batch goes on.
    fileprivate var batchIsOpen: Bool {
        records.last.map { $0.header.flags.contains(.batchContinues) } ?? beginsWithinBatch
    }
}

/// Where a part of a very large commit may end that is read in parts.
package enum CommitSplitting: Sendable { case never, betweenBatches, withinBatches }

/// Walks over the commits of a segment, verifying every byte. Pure but for the bytes that it is given, and total.
package struct SegmentScanner<Source: SegmentBytes> {
    /// The most that is asked of the source at once: the largest record header and key, and one piece of a value.
    package static var windowBytes: Int { 256 * 1024 }

    /// What stands at the scanner's position.
    package enum Step {
        /// A whole commit; the scanner stands behind it.
        case commit
        /// Nothing that can be read on from.
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
    /// The highest synced mark of the commits so far: every byte before it is known to have been durable.
    package private(set) var provenEnd: UInt64
    /// The time of the last commit.
    package private(set) var lastTime: UInt64 = 0
    /// Whether a very large commit comes in parts. An opening takes commits whole: what of a commit was applied can't be
    /// taken back, should the file read otherwise the second time.
    package var splitting = CommitSplitting.never
    /// What is left of a large commit that was verified.
    var rest: RecordRun?
    /// So many records, or bytes of keys, are held at a time.
    private static var mostRecords: Int { 256 << 10 }
    private static var mostKeyBytes: Int { 16 << 20 }

    /// Records side by side that are still to be read.
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
    /// A commit with very many records comes in parts, so that memory is bounded. All of it is verified before the first
    /// part is given.
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

    /// No commit stands here. Zeros up to the next boundary with a mark on it are the gap before that mark, and zeros
    /// up to the end of the file are the end.
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

    /// Verifies what is left of a commit of which the first part was read.
    private mutating func readLargeCommit(
        _ rest: RecordRun, _ commit: ScannedCommit
    ) throws(Source.Failure) -> Step {
        var (run, part) = (rest, ScannedCommit())
        part.header = commit.header
        part.goOn(behind: commit)
        while run.count > 0 {
            if let damage = try readRecords(&run, into: &part, most: 1_024) {
                return .stop(stop(.damage(damage), at: run.position))
            }
            let last = part
            if run.count > 0 { part.goOn(behind: last) }
        }
        if let stop = finish(run, part, of: commit.offset) { return stop }
        self.rest = rest
        return .commit
    }

    /// The next part of a commit that was verified.
    private mutating func readPart(
        _ rest: RecordRun, into commit: inout ScannedCommit
    ) throws(Source.Failure) -> Step {
        var run = rest
        self.rest = nil
        let (start, next) = (run.position, commit.nextSequence)
        commit.goOn(behind: commit)
        if let damage = try readRecords(&run, into: &commit) {
            // The file has changed since.
            (position, nextSequence) = (start, next)
            return .stop(stop(.damage(damage), at: run.position))
        }
        commit.end = run.position
        if run.count > 0 { self.rest = run }
        return .commit
    }

    /// Reads records until there are as many as are held at a time; the damage, at the position, or nil.
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

    /// Moves behind a commit whose last record was read; the stop, where it isn't whole.
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

    /// Verifies a record and adds it to the commit; the damage, or nil.
    private mutating func readRecord(
        at offset: UInt64, end: UInt64, into commit: inout ScannedCommit
    ) throws(Source.Failure) -> FormatError? {
        guard end - offset >= UInt64(FormatConstants.recordHeaderSize) else { return .invalidField(.bodyLength) }
        let salt = header.salt
        // Most records fit into what one look takes in: header, key and value together.
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

    /// The payload in pieces: a value of a gigabyte is verified without being held.
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

    /// The part that follows another one of the same commit.
    fileprivate mutating func goOn(behind part: ScannedCommit) {
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
