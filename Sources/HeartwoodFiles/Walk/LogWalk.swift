internal import HeartwoodConcurrency
package import HeartwoodFileSystem
package import HeartwoodFormat

/// Walks over a log file from its first commit to its end. After damage it continues at the next offset where a commit
/// header verifies.
package struct LogWalk {
    package enum Part {
        /// A whole commit, in `commit`, or the next part of a very large one.
        case commit
        case damage(LogDamage)
        case end(LogEnd)
    }

    package let file: DataFile
    package let header: FileHeader
    /// What the next file's header records about this one.
    package let successor: FileHeader.Predecessor?
    package private(set) var commit = ScannedCommit()
    /// Whether an earlier part of the file was torn: an opening skips the rest.
    package private(set) var isBehindTear = false
    private var scanner: SegmentScanner<FileWindow>
    /// Searches far ahead, so that the scanner's window can stay where it is.
    private var lookout: SegmentScanner<FileWindow>
    private let patience: Patience
    private var values = ValueCheck()
    /// The last proof that was found, and whether the search ran after the item in question was read.
    private var found: TailVerdict.Proof?
    private var hasSearched = false
    /// Bytes before this offset were already durable when the item in question was read.
    private var durableEnd: UInt64 = 0
    /// The last header that was found as the end of a damaged part, and where its search began.
    private var following: (start: UInt64, found: SegmentScanner<FileWindow>.Found?)?
    /// Where a damaged part ended between two batches because it had too many of them.
    private var continuation: UInt64?

    /// How long to wait for bytes that another process may be writing.
    package struct Patience: Sendable {
        /// For a file that isn't being written.
        package static let none = Patience(milliseconds: [])
        /// Half a second, longer while more bytes of a commit appear.
        package static let live = Patience(milliseconds: [0, 1, 2, 5, 10, 20, 50, 100, 150, 200])
        var milliseconds: [Int]
    }

    /// - Parameter splits: Where a very large commit may be split into parts.
    package init(
        _ file: DataFile, header: FileHeader, successor: FileHeader.Predecessor?, patience: Patience = .none,
        splits: CommitSplitting = .betweenBatches
    ) throws(FileSystemError) {
        self.file = file
        self.header = header
        self.successor = successor
        self.patience = successor == nil ? patience : .none
        scanner = SegmentScanner(
            source: try FileWindow(file.file), header: header, recordedEnd: successor?.endOffset)
        scanner.splitting = splits
        lookout = scanner
    }

    package var position: UInt64 { scanner.position }
    package var nextSequence: UInt64 { scanner.nextSequence }
    package var lastTime: UInt64 { scanner.lastTime }

    /// The next part of the file. Don't call it after `.end`.
    package mutating func next() throws(FileSystemError) -> Part {
        hasSearched = false
        switch try scanner.next(into: &commit) {
        case .commit: return .commit
        case .stop(let stop):
            switch stop.reason {
            case .end:
                return .end(end(successor?.endOffset == stop.offset ? .recorded : .file))
            case .zeros:
                return .end(end(.zeros))
            case .damage(.unsupported(let what)):
                return .end(end(.unsupported(.unsupported(what), offset: stop.damageOffset)))
            case .damage(let error):
                // Bytes that a later sync mark proves durable are not being written.
                var isProven = successor != nil
                if !isProven { isProven = try proof(beyond: stop.offset) != nil }
                // After a torn part, no process is writing.
                if !isProven, !isBehindTear, try settles() { return .commit }
                return try damage(stop, error)
            }
        }
    }

    /// Number of compressed values that were not inflated because that would take too long: see `ValueCheck`.
    package var valuesSkipped: UInt64 { values.skipped }

    /// The indices of the commit's records whose values can't be decompressed although their checksums are right.
    /// O(bytes of compressed values).
    package mutating func unreadableRecords() throws(FileSystemError) -> [(index: Int, error: FormatError)] {
        var found: [(index: Int, error: FormatError)] = []
        for index in commit.records.indices where commit.records[index].header.flags.contains(.compressed) {
            let record = commit.records[index]
            if let error = try values.damage(of: record.header, at: record.offset, in: &scanner.source) {
                found.append((index, error))
            }
        }
        return found
    }

    private mutating func reread(recordedEnd: UInt64?) throws(FileSystemError) {
        let source = try FileWindow(file.file)
        scanner.reread(source, recordedEnd: recordedEnd)
        lookout.reread(source, recordedEnd: recordedEnd)
    }

    private func end(_ reason: LogEnd.Reason) -> LogEnd {
        LogEnd(
            reason: reason, offset: scanner.position, nextSequence: scanner.nextSequence, isClosed: scanner.isClosed)
    }

    // MARK: - A live file

    /// Reads again while the bytes here may be a commit that is being written. Returns whether the commit is complete
    /// now.
    private mutating func settles() throws(FileSystemError) -> Bool {
        var (round, seen) = (0, UInt64(0))
        while round < patience.milliseconds.count {
            pauseThread(nanoseconds: patience.milliseconds[round] * 1_000_000)
            try reread(recordedEnd: nil)
            if case .commit = try scanner.next(into: &commit) { return true }
            let content = try contentEnd(from: scanner.position, to: scanner.position + (64 << 20))
            round = content > seen ? max(1, round - 2) : round + 1
            seen = max(seen, content)
        }
        return false
    }

    // MARK: - Damage

    /// The first commit header that proves that bytes from `offset` were durable; nil if there is none.
    ///
    /// A header that was no proof for one offset is none for a later one. So each search continues where the last one
    /// ended, and the file is searched only once.
    private mutating func proof(beyond offset: UInt64) throws(FileSystemError) -> TailVerdict.Proof? {
        // It would have been a proof for the torn part too.
        if isBehindTear { return nil }
        var start = (offset + 8) & ~7
        if case .laterMark(let place, let mark, _)? = found, place >= start {
            if mark > offset { return found }
            start = place
        }
        hasSearched = true
        found = try lookout.firstHeader(from: start) { $0.syncedMark > offset }.map {
            .laterMark(offset: $0.offset, mark: $0.header.syncedMark, sequence: $0.header.firstSequence)
        }
        return found
    }

    private mutating func damage(
        _ stop: TailVerdict.Stop, _ error: FormatError
    ) throws(FileSystemError) -> Part {
        let proof: TailVerdict.Proof?
        if let successor {
            proof = .successor(end: successor.endOffset, lastSequence: successor.lastSequence)
        } else {
            proof = try self.proof(beyond: stop.offset)
            if hasSearched, stop.offset >= durableEnd, let other = try lookAgain(proof) { return other }
        }
        return .damage(try salvage(stop, error, proof))
    }

    /// The proof may have been written after the damaged item was read. If so, the item is complete by now.
    ///
    /// Items that other headers near the proof prove aren't read again.
    private mutating func lookAgain(_ proof: TailVerdict.Proof?) throws(FileSystemError) -> Part? {
        if case .laterMark(let place, let mark, _)? = proof {
            let (salt, end) = (header.salt, min(place + (256 << 10), lookout.limit))
            var last = mark
            _ = try lookout.source.firstItem(
                from: place, to: end, headerBytes: FormatConstants.commitHeaderSize, glance: CommitHeader.mayBegin
            ) { bytes, offset -> Void? in
                let header = try? CommitHeader.decode(bytes, salt: salt, offset: offset, allowingUnknownFlags: true)
                last = max(last, header?.syncedMark ?? 0)
                return nil
            }
            durableEnd = max(durableEnd, last)
        }
        try reread(recordedEnd: nil)
        switch try scanner.next(into: &commit) {
        case .commit: return .commit
        case .stop(let again):
            if again.reason == .end { return .end(end(.file)) }
            return again.reason == .zeros ? .end(end(.zeros)) : nil
        }
    }

    /// Collects what verifies in a damaged part, and decides where to continue after it.
    private mutating func salvage(
        _ stop: TailVerdict.Stop, _ error: FormatError, _ proof: TailVerdict.Proof?
    ) throws(FileSystemError) -> LogDamage {
        let (start, expected) = (stop.offset, scanner.nextSequence)
        let commit = try commitHeader(at: start)
        let body = start + UInt64(FormatConstants.commitHeaderSize)
        var end = scanner.limit
        var next: SegmentScanner<FileWindow>.Found?
        if let commit, body <= scanner.limit, commit.bodyLength <= scanner.limit - body {
            end = body + commit.bodyLength
            next = try header(after: end)
        } else {
            next = try header(after: commit == nil ? start + 8 : body)
            if let next { end = next.offset }
        }
        var search = RecordSearch(header)
        let continues = continuation == start
        // If a commit was expected here, its first record follows its header, sound or not.
        var isBody = commit != nil
        if !isBody, !continues { isBody = try search.recordStands(at: body, end: end, in: &scanner.source) }
        let reached = try search.search(
            from: isBody ? body : start, to: end, beginsBatch: isBody || continues, in: &scanner.source)
        if reached < end {
            // More than is kept in memory at a time: the rest becomes another part.
            (end, next, continuation) = (reached, nil, reached)
        }
        var records = search.records
        for index in records.indices where records[index].isIntact {
            let record = records[index]
            let error = try values.damage(of: record.header, at: record.offset, in: &scanner.source)
            records[index].isIntact = error == nil
        }
        let damage = LogDamage(
            part: start..<end, offset: stop.damageOffset, error: error, proof: proof, commit: commit,
            expected: expected, next: next?.header.firstSequence ?? search.nextSequence, records: records,
            keys: search.keys, batches: records.batches,
            time: min(commit?.time ?? scanner.lastTime, next?.header.time ?? .max),
            contentEnd: try contentEnd(from: start, to: end))
        if proof == nil { isBehindTear = true }
        let last = search.records.last.map { $0.sequence + 1 } ?? commit?.firstSequence ?? expected
        var resumed = max(search.nextSequence ?? last, expected)
        if let next, try follows(next, end) { resumed = next.header.firstSequence }
        scanner.resume(at: end, expecting: resumed)
        return damage
    }

    /// The first commit header from this offset. Parts of the same damage share the result.
    private mutating func header(after start: UInt64) throws(FileSystemError) -> SegmentScanner<FileWindow>.Found? {
        if let following, following.start <= start, following.found.map({ $0.offset >= start }) ?? true {
            return following.found
        }
        let found = try lookout.firstHeader(from: start, where: Self.isPossible)
        following = (start, found)
        return found
    }

    /// Whether a commit is the next one after `end`: directly there, or a sync mark after a gap.
    private mutating func follows(
        _ found: SegmentScanner<FileWindow>.Found, _ end: UInt64
    ) throws(FileSystemError) -> Bool {
        if found.offset == end { return true }
        guard found.header.flags.contains(.mark), found.offset == markBoundary(from: end) else { return false }
        return try contentEnd(from: end, to: found.offset) == end
    }

    private static func isPossible(_ header: CommitHeader) -> Bool {
        FormatConstants.possibleSequences.contains(header.firstSequence)
    }

    /// The commit header at this offset, if it is sound.
    private mutating func commitHeader(at offset: UInt64) throws(FileSystemError) -> CommitHeader? {
        let salt = header.salt
        let available = Int(min(scanner.limit - min(offset, scanner.limit), UInt64(FormatConstants.commitHeaderSize)))
        return try scanner.source.withBytes(at: offset, count: available) { bytes in
            (try? CommitHeader.decode(bytes, salt: salt, offset: offset)).flatMap { Self.isPossible($0) ? $0 : nil }
        }
    }

    /// The end of the last byte of a part that isn't zero. Padding doesn't count.
    package mutating func contentEnd(from start: UInt64, to end: UInt64) throws(FileSystemError) -> UInt64 {
        try scanner.source.contentEnd(of: start..<max(start, min(end, scanner.source.count)))
    }
}
