internal import HeartwoodFiles
internal import HeartwoodFormat

/// Changes that were read together.
struct ChangePage: Sendable {
    /// The consumer takes each change from its place: it isn't copied.
    private(set) var changes: [Change?] = []
    private var bytes = 0

    /// So many changes, or so many bytes, that the rest is read later.
    var isFull: Bool { changes.count >= 1_024 || bytes >= 1 << 20 }

    /// Moves the changes to `other`.
    mutating func move(to other: inout [Change?]) {
        other = []
        swap(&other, &changes)
    }

    mutating func append(_ change: consuming Change) {
        bytes += change.byteCount
        changes.append(change)
    }
}

/// Reads the changes of a log in the order of their commits, from segment to segment.
///
/// Invariant: everything before `next` was returned, as far as it is in the range, and nothing from there on, except
/// changes of the batch `next` itself. It keeps one file open, the segment that it reads; compaction may delete it.
struct ChangeReader {
    let storeID: StoreID
    let range: KeyRange
    /// The largest value that is decompressed.
    let maximumValueBytes: Int
    /// The sequence number of the next batch, or of the one that is being read.
    private(set) var next: SequenceNumber
    private var walk: CommitWalk
    /// The next record of the walk's commit.
    private var index = 0
    /// The last change in the range of a batch that continues. It may be the last of its batch in the range.
    private var held: Change?
    /// Whether the record before was not the last of its batch.
    private var isWithinBatch = false

    /// - Parameter after: Everything up to this sequence number is passed over.
    init(_ log: LogDirectory, after sequence: SequenceNumber, in range: KeyRange, maximumValueBytes: Int) {
        (storeID, self.range, self.maximumValueBytes) = (log.storeID, range, maximumValueBytes)
        // No write has a higher number.
        next = min(sequence, FormatConstants.sequences.upperBound) + 1
        walk = CommitWalk(log, from: next)
    }

    /// Reads changes up to a sequence number until the page is full.
    ///
    /// - Returns: Whether there is more up to that number. False: all was read that the files have.
    /// - Throws: `.positionUnavailable` if the log from `next` on was removed; `.corruption`, `.inputOutput`,
    ///   `.tooLarge`, `.unsupportedFormat`.
    mutating func read(upTo limit: SequenceNumber, into page: inout ChangePage) throws(StoreError) -> Bool {
        while !page.isFull {
            if index == walk.commit.records.count {
                let step = try walk.next(upTo: limit)
                index = walk.commit.records.count
                switch step {
                case .commit: index = 0
                case .end: return false
                case .lost(let numbers): page.append(lost(numbers))
                }
            } else {
                let record = walk.commit.records[index]
                guard record.sequence <= limit else { return false }
                try take(record, into: &page)
                index += 1
            }
        }
        return true
    }

    /// Gives back memory before a wait: of thousands of feeds, most wait.
    mutating func release() {
        guard index == walk.commit.records.count else { return }
        walk.release()
        index = 0
    }

    private mutating func lost(_ numbers: ClosedRange<SequenceNumber>) -> Change {
        next = numbers.upperBound + 1
        return Change(
            key: [], action: .lost(from: numbers.lowerBound), sequence: numbers.upperBound, isLastOfBatch: true,
            store: storeID)
    }

    private mutating func take(_ record: ScannedRecord, into page: inout ChangePage) throws(StoreError) {
        guard record.sequence >= next else { return }
        let isLast = !record.header.flags.contains(.batchContinues)
        if let change = try change(of: record, isLast: isLast) {
            appendHeld(to: &page, isLast: false)
            if isLast { page.append(change) } else { held = change }
        } else if isLast {
            appendHeld(to: &page, isLast: true)
        }
        if isLast { next = record.sequence + 1 }
        isWithinBatch = !isLast
    }

    /// Moves the held change to the page, if there is one.
    private mutating func appendHeld(to page: inout ChangePage, isLast: Bool) {
        guard var last = held.take() else { return }
        last.isLastOfBatch = isLast
        page.append(last)
    }

    /// The change of a record; nil if it isn't in the range, or of a kind that changes nothing.
    private mutating func change(of record: ScannedRecord, isLast: Bool) throws(StoreError) -> Change? {
        let header = record.header
        var key: [UInt8] = []
        var action = Change.Action.remove
        if case .optional = header.kind {
            // A lost batch is alone. In another batch, as in a forged file, the record changes nothing.
            guard header.kind == .lostBatch, isLast, !isWithinBatch else { return nil }
            action = .lost(from: record.sequence)
        } else {
            guard let wanted = wantedKey(of: record) else { return nil }
            key = wanted
            if header.kind != .delete {
                action = .put(
                    value: try value(of: record),
                    expires: header.expiry == 0 ? nil : Timestamp(milliseconds: header.expiry))
            }
        }
        return Change(key: key, action: action, sequence: record.sequence, isLastOfBatch: isLast, store: storeID)
    }

    /// The key of a record; nil if it isn't in the range.
    private func wantedKey(of record: ScannedRecord) -> [UInt8]? {
        walk.commit.keys.withUnsafeBytes { keys in
            let key = keys.slice(record.keyStart, Int(record.header.keyLength))
            return range.contains(key) ? [UInt8](key) : nil
        }
    }

    private mutating func value(of record: ScannedRecord) throws(StoreError) -> [UInt8] {
        let header = record.header
        let stored = try walk.segment!.payload(of: record) { payload in
            [UInt8](payload.slice(Int(header.keyLength), Int(header.valueLength)))
        }
        return header.flags.contains(.compressed) ? try decompressed(stored, of: record) : stored
    }

    private func decompressed(_ stored: [UInt8], of record: ScannedRecord) throws(StoreError) -> [UInt8] {
        let limit = maximumValueBytes
        let value = stored.withUnsafeBytes { stored in
            Result { () throws(FormatError) -> [UInt8]? in
                try Inflater.declaredLength(of: stored) <= limit ? try Inflater.value(of: stored, limit: limit) : nil
            }
        }
        let path = walk.segment!.path
        switch value {
        case .success(let value?): return value
        case .success(nil):
            throw StoreError(
                .tooLarge, "a value is larger than this opening allows: raise maximumValueBytes to read it",
                file: path, offset: record.offset)
        case .failure(let error):
            throw .corruption(
                "a compressed value of the log is damaged", file: path, offset: record.offset, cause: error)
        }
    }
}
