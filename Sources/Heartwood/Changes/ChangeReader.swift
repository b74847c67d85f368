internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// Changes that were read together.
struct ChangePage: Sendable {
    private(set) var changes: [Change] = []
    private var bytes = 0

    /// So many changes, or so many bytes, that the rest is read later.
    var isFull: Bool { changes.count >= 1_024 || bytes >= 1 << 20 }

    mutating func append(_ change: Change) {
        changes.append(change)
        bytes += change.byteCount
    }
}

/// Reads the changes of a log in the order of their commits, from segment to segment.
///
/// Invariant: everything before `next` was returned, as far as it is in the range, and nothing from there on, except
/// changes of the batch `next` itself. It keeps one file open, the segment that it reads; compaction may delete it.
struct ChangeReader {
    let log: LogDirectory
    let range: KeyRange
    /// The largest value that is decompressed.
    let maximumValueBytes: Int
    /// The sequence number of the next batch, or of the one that is being read.
    private(set) var next: SequenceNumber
    private var segment: ChangeSegment?
    /// The segment after it, once it is found.
    private var following: ChangeSegment?
    private var commit = ScannedCommit()
    /// The next record of the commit.
    private var index = 0
    /// The last change in the range of a batch that continues. It may be the last of its batch in the range.
    private var held: Change?

    /// How often a directory that changes while it is read is read again.
    private static var attempts: Int { 50 }

    /// - Parameter after: Everything up to this sequence number is passed over.
    init(_ log: LogDirectory, after sequence: SequenceNumber, in range: KeyRange, maximumValueBytes: Int) {
        (self.log, self.range, self.maximumValueBytes) = (log, range, maximumValueBytes)
        next = sequence + 1
    }

    /// Reads changes up to a sequence number until the page is full.
    ///
    /// - Returns: Whether there is more up to that number. False: all was read that the files have.
    /// - Throws: `.positionUnavailable` if the log from `next` on was removed; `.corruption`, `.inputOutput`, `.tooLarge`,
    ///   `.unsupportedFormat`.
    mutating func read(upTo limit: SequenceNumber, into page: inout ChangePage) throws(StoreError) -> Bool {
        while !page.isFull {
            if index == commit.records.count, try !nextCommit(upTo: limit, &page) { return false }
            guard commit.records[index].sequence <= limit else { return false }
            try take(commit.records[index], into: &page)
            index += 1
        }
        return true
    }

    private mutating func take(_ record: ScannedRecord, into page: inout ChangePage) throws(StoreError) {
        guard record.sequence >= next else { return }
        let isLast = !record.header.flags.contains(.batchContinues)
        if var change = try change(of: record) {
            if let held { page.append(held) }
            change.isLastOfBatch = isLast
            held = isLast ? nil : change
            if isLast { page.append(change) }
        } else if isLast, var last = held {
            last.isLastOfBatch = true
            page.append(last)
            held = nil
        }
        if isLast { next = record.sequence + 1 }
    }

    /// The change of a record; nil if it isn't in the range, or of a kind that changes nothing.
    private mutating func change(of record: ScannedRecord) throws(StoreError) -> Change? {
        let header = record.header
        var change = Change(
            key: [], action: .remove, sequence: record.sequence, isLastOfBatch: false, store: log.storeID)
        if case .optional = header.kind {
            guard header.kind == .lostBatch else { return nil }
            change.action = .lost(from: record.sequence)
            return change
        }
        let (start, count) = (record.keyStart, Int(header.keyLength))
        let isWanted = commit.keys.withUnsafeBytes { keys in
            let key = keys.slice(start, count)
            guard range.contains(key) else { return false }
            change.key = [UInt8](key)
            return true
        }
        guard isWanted else { return nil }
        if header.kind != .delete {
            change.action = .put(
                value: try value(of: record),
                expires: header.expiry == 0 ? nil : Timestamp(milliseconds: header.expiry))
        }
        return change
    }

    private mutating func value(of record: ScannedRecord) throws(StoreError) -> [UInt8] {
        let (header, limit, path) = (record.header, maximumValueBytes, segment!.path)
        return try segment!.payload(of: record) { (payload) throws(StoreError) in
            let stored = payload.slice(Int(header.keyLength), Int(header.valueLength))
            if !header.flags.contains(.compressed) { return [UInt8](stored) }
            do throws(FormatError) {
                if try Inflater.declaredLength(of: stored) <= limit {
                    return try Inflater.value(of: stored, limit: limit)
                }
            } catch {
                throw .corruption(
                    "a compressed value of the log is damaged", file: path, offset: record.offset, cause: error)
            }
            throw StoreError(
                .tooLarge, "a value is larger than this opening allows: raise maximumValueBytes to read it",
                file: path, offset: record.offset)
        }
    }

    // MARK: - Commits and segments

    /// Reads the next commit that has records. False if the files have none.
    private mutating func nextCommit(upTo limit: SequenceNumber, _ page: inout ChangePage) throws(StoreError) -> Bool {
        if segment == nil, try !openFirst() { return false }
        // The window may have bytes from before the commit was written.
        var isFresh = false
        while next <= limit {
            switch try segment!.next(into: &commit) {
            case .commit:
                index = 0
                isFresh = false
                if !commit.records.isEmpty { return true }
            case .stop(let stop):
                clearCommit()
                if !isFresh {
                    try segment!.refresh()
                    isFresh = true
                } else if segment!.successor == nil {
                    if case .damage(.unsupported) = stop.reason { throw segment!.damage(stop) }
                    guard try findSuccessor() else {
                        if try segment!.isDamaged(at: stop) { throw segment!.damage(stop) }
                        return false
                    }
                } else {
                    guard segment!.isAtRecordedEnd else { throw segment!.damage(stop) }
                    try moveOn(&page)
                    isFresh = false
                }
            }
        }
        return false
    }

    private mutating func clearCommit() {
        commit.records.removeAll(keepingCapacity: true)
        index = 0
    }

    /// Opens the segment that has the next write. False if there is no log yet.
    private mutating func openFirst() throws(StoreError) -> Bool {
        for _ in 0..<Self.attempts {
            let names = try log.segments()
            guard let oldest = names.first else { return false }
            guard let opened = try log.open(names.last { $0 <= next } ?? oldest) else { continue }
            if opened.header.firstSequence > next {
                // The first segment of a store may begin with a higher number, as after a repair.
                guard next == 1, opened.header.predecessor == nil else { throw try log.unavailable(Self.removed) }
                next = opened.header.firstSequence
            }
            segment = opened
            return true
        }
        throw try log.unavailable(Self.removed)
    }

    private static var removed: String { "the log after this position was removed, as a compaction does" }

    /// Looks for the segment after this one, and finishes this one if there is one.
    private mutating func findSuccessor() throws(StoreError) -> Bool {
        let header = segment!.header
        for _ in 0..<Self.attempts {
            guard let name = try log.segments().first(where: { $0 > header.firstSequence }) else { return false }
            guard let opened = try log.open(name) else { continue }
            guard let predecessor = opened.header.predecessor, predecessor.salt == header.salt else {
                throw try log.unavailable(Self.removed)
            }
            // Only a file that was cut back can be shorter than what was read of it.
            guard predecessor.endOffset >= segment!.scanner.position else {
                throw try log.unavailable("writes that were read were lost in a crash")
            }
            try segment!.end(predecessor)
            following = opened
            return true
        }
        return false
    }

    /// Continues with the next segment.
    private mutating func moveOn(_ page: inout ChangePage) throws(StoreError) {
        let (last, first) = (segment!.successor!.lastSequence, following!.header.firstSequence)
        guard next == last + 1 || next == first else {
            throw try log.unavailable("the writes up to this position were lost in a crash")
        }
        // After a crash, numbering continues at the next epoch. Any other gap is what a repair could not bring back.
        if next < first, first % FormatConstants.sequenceEpoch != 0 {
            page.append(
                Change(
                    key: [], action: .lost(from: next), sequence: first - 1, isLastOfBatch: true, store: log.storeID))
        }
        next = first
        segment = following
        following = nil
    }
}
