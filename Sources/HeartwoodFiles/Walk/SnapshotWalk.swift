package import HeartwoodFileSystem
package import HeartwoodFormat

/// A damaged part of a snapshot.
package struct SnapshotDamage: Sendable {
    package enum Item: Sendable, Hashable {
        /// A record; with its key if the key section has it.
        case record(key: [UInt8]?)
        /// A part of the records in which nothing tells where records begin.
        case records
        /// What follows the last record that was found. Without the footer and the first key block, it isn't known
        /// where the records end.
        case rest
        case keyBlock
        case footer
    }
    package var item: Item
    package var part: Range<UInt64>
    package var error: FormatError

    /// Whether it is among the records, not after them.
    package var isAmongRecords: Bool {
        switch item {
        case .record, .records, .rest: true
        case .keyBlock, .footer: false
        }
    }
}

/// Walks over a snapshot and compares its records with its keys. After damage it continues: by the key section as far
/// as that is sound, otherwise by the records alone.
package struct SnapshotWalk {
    package enum Part {
        /// Records that verify, in `records` and `keys`, and the damage between them.
        case records([SnapshotDamage])
        case end
    }

    package let file: DataFile
    package let header: FileHeader
    /// Nil if it is damaged.
    package private(set) var footer: SnapshotFooter?
    /// Damage that is known before the records are read.
    package private(set) var footerDamage: SnapshotDamage?
    package private(set) var records: [FoundRecord] = []
    package private(set) var keys: [UInt8] = []

    private var keyWindow: FileWindow
    private var window: FileWindow
    /// Where the records end, or an upper bound of it.
    private var recordsEnd: UInt64
    private var isEndKnown = true
    private var footerOffset: UInt64
    private var blockPosition: UInt64
    /// Where the rest of the block at `blockPosition` starts, if a part of it was read.
    private var blockCursor: KeyBatch.Cursor?
    /// The end of the block whose header was read last, according to that header.
    private var blockEnd: UInt64 = 0
    /// How many bytes may be read without result for overlapping blocks; nil before the first.
    private var blockAllowance: UInt64?
    /// Where the next record begins.
    private var recordPosition = UInt64(FormatConstants.fileHeaderSize)
    /// The end of the last record that was found.
    private var foundEnd = UInt64(FormatConstants.fileHeaderSize)
    private let batch = KeyBatch()
    private var values = ValueCheck()
    /// Where the records of the block that was read begin, as long as the bytes before them are unread.
    private var blockInHand: UInt64?
    private var isAtEnd = false
    private var totals = Totals()
    private var lastKey: [UInt8] = []
    private var metDamagedBlock = false
    /// Whether there was space between records that no block describes.
    private var metUntoldPart = false

    private struct Totals { var records: UInt64 = 0, blocks: UInt64 = 0, keyBytes: UInt64 = 0, expiring: UInt64 = 0 }

    package init(_ file: DataFile, header: FileHeader) throws(FileSystemError) {
        self.file = file
        self.header = header
        window = try FileWindow(file.file)
        keyWindow = try FileWindow(file.file)
        let size = SnapshotFooter.encodedSize
        footerOffset = file.size - min(file.size, UInt64(size))
        let (offset, salt) = (footerOffset, header.salt)
        let decoded = try keyWindow.withBytes(at: offset, count: size) { bytes in
            Result { () throws(FormatError) in try SnapshotFooter.decode(bytes, salt: salt, offset: offset) }
        }
        let damage: FormatError
        switch decoded {
        case .success(let footer):
            self.footer = footer
            recordsEnd = footer.keySectionOffset
            blockPosition = footer.keySectionOffset
            guard try isFirstBlockFurtherOn() else { return }
            self.footer = nil
            damage = .invalidField(.snapshotLength)
        case .failure(let error):
            damage = error
        }
        footerDamage = SnapshotDamage(item: .footer, part: offset..<file.size, error: damage)
        footerOffset = file.size
        recordsEnd = file.size
        blockPosition = file.size
        try findKeySection()
    }

    /// Number of compressed values that were not inflated because that would take too long: see `ValueCheck`.
    package var valuesSkipped: UInt64 { values.skipped }

    /// Progress of the walk, in bytes of records.
    package var position: UInt64 { recordPosition }

    package func key(of record: FoundRecord) -> ArraySlice<UInt8> {
        keys[record.keyStart!..<record.keyStart! + Int(record.header.keyLength)]
    }

    /// The next part: about as many records as one key block describes.
    package mutating func next() throws(FileSystemError) -> Part {
        guard case .records(var damages) = try nextRecords() else { return .end }
        try leaveOutUnreadable(&damages)
        return .records(damages)
    }

    /// Removes records whose values can't be decompressed although their checksums are right.
    private mutating func leaveOutUnreadable(_ damages: inout [SnapshotDamage]) throws(FileSystemError) {
        guard records.contains(where: { $0.header.flags.contains(.compressed) }) else { return }
        var readable: [FoundRecord] = []
        for record in records {
            guard let error = try values.damage(of: record.header, at: record.offset, in: &window) else {
                readable.append(record)
                continue
            }
            damages.append(
                SnapshotDamage(
                    item: .record(key: Array(key(of: record))), part: record.offset..<record.end, error: error))
        }
        guard readable.count < records.count else { return }
        records = readable
        damages.sort { $0.part.lowerBound < $1.part.lowerBound }
    }

    private mutating func nextRecords() throws(FileSystemError) -> Part {
        records.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
        guard !isAtEnd else { return .end }
        var damages: [SnapshotDamage] = []
        if let first = blockInHand {
            try readRecords(from: first, &damages)
            return .records(damages)
        }
        let block = blockPosition
        guard block < footerOffset else {
            try searchRecords(to: recordsEnd, &damages)
            guard recordPosition >= recordsEnd else { return .records(damages) }
            isAtEnd = true
            if !isEndKnown, let footerDamage {
                damages.removeAll { $0.item == .records && $0.part.upperBound == recordsEnd }
                damages.append(SnapshotDamage(item: .rest, part: foundEnd..<file.size, error: footerDamage.error))
            }
            finish(&damages)
            return .records(damages)
        }
        let before = lastKey
        switch try readBlock() {
        case .success(let first):
            lastKey = before
            try readRecords(from: first, &damages)
        case .failure(let error):
            let found = try nextBlock(from: try placeBehind(damaged: block))
            blockPosition = found?.offset ?? footerOffset
            damages.append(SnapshotDamage(item: .keyBlock, part: block..<blockPosition, error: error))
            try searchRecords(to: found?.firstRecord ?? recordsEnd, &damages)
            metDamagedBlock = true
        }
        return .records(damages)
    }

    // MARK: - Keys

    /// Reads the block at the position, or a part of a block with very many key bytes, and moves after it.
    private mutating func readBlock() throws(FileSystemError) -> Result<UInt64, FormatError> {
        let (start, salt, limit) = (blockPosition, header.salt, recordsEnd)
        let decoded = try keyWindow.withBytes(at: start, count: KeyBlock.headerSize) { bytes in
            Result { () throws(FormatError) in try KeyBlock.decodeHeader(bytes, salt: salt, offset: start) }
        }
        guard case .success(let header) = decoded else { return decoded.map { $0.firstRecordOffset } }
        let body = start + UInt64(KeyBlock.headerSize)
        guard body + UInt64(header.length) <= footerOffset else { return .failure(.truncated) }
        blockEnd = body + UInt64(header.length)
        let part = blockCursor
        blockCursor = nil
        guard part != nil || header.firstRecordOffset >= recordPosition else {
            return .failure(.invalidField(.blockLength))
        }
        batch.removeAll()
        let batch = batch
        let entries = try keyWindow.withBytes(at: body, count: header.length) { bytes in
            Result { () throws(FormatError) in try batch.decode(bytes, header, limit: limit, from: part) }
        }
        let rest: KeyBatch.Cursor?
        switch entries {
        case .success(let cursor): rest = cursor
        case .failure(let error): return .failure(error)
        }
        guard lastKey.isEmpty || lastKey.withUnsafeBytes({ $0.precedes(batch.key(0)) }) else {
            return .failure(.invalidField(.keyOrder))
        }
        lastKey = Array(batch.key(batch.count - 1))
        blockCursor = rest
        if rest == nil {
            blockPosition = body + UInt64(header.length)
            totals.blocks += 1
        }
        totals.keyBytes += UInt64(batch.byteCount)
        totals.expiring += UInt64(batch.expiringCount)
        totals.records += UInt64(batch.count)
        return .success(batch.entry(0).offset)
    }

    /// Where to search for the next block: directly after the start of a damaged one, because its header may be
    /// invalid. A forged file may have adjacent headers whose entries don't exist. After a few readings of everything,
    /// the search skips those entries.
    private mutating func placeBehind(damaged block: UInt64) throws(FileSystemError) -> UInt64 {
        guard blockEnd > block else { return block + 8 }
        if blockAllowance == nil {
            blockAllowance = 4 * (try keyWindow.existingBytes(of: block..<footerOffset)) + 1 << 20
        }
        let cost = blockEnd - block
        guard let allowance = blockAllowance, cost <= allowance else { return blockEnd }
        blockAllowance = allowance - cost
        return block + 8
    }

    /// The next block whose header verifies.
    private mutating func nextBlock(
        from offset: UInt64
    ) throws(FileSystemError) -> (offset: UInt64, firstRecord: UInt64)? {
        let (salt, position, end) = (header.salt, recordPosition, recordsEnd)
        return try keyWindow.firstItem(
            from: offset, to: footerOffset, headerBytes: KeyBlock.headerSize, glance: KeyBlock.mayBegin
        ) { bytes, offset in
            guard let header = try? KeyBlock.decodeHeader(bytes, salt: salt, offset: offset),
                header.firstRecordOffset % 8 == 0, header.firstRecordOffset >= position,
                header.firstRecordOffset <= end
            else { return nil }
            return (offset, header.firstRecordOffset)
        }
    }

    /// Whether the block of the first record is after the offset that the footer gives. Then the footer is wrong
    /// although its checksum is right, and the records don't end there.
    private mutating func isFirstBlockFurtherOn() throws(FileSystemError) -> Bool {
        let found = try nextBlock(from: blockPosition)
        guard let found, found.offset > blockPosition else { return false }
        return found.firstRecord == recordPosition
    }

    /// Without a footer: finds where key blocks begin, if there are any. The records end at the first of them.
    private mutating func findKeySection() throws(FileSystemError) {
        let found = try nextBlock(from: recordPosition)
        isEndKnown = found?.firstRecord == recordPosition
        guard let found else { return }
        recordsEnd = found.offset
        blockPosition = found.offset
    }

    // MARK: - Records

    /// Reads what precedes the records that the block describes, one part at a time, and then those records.
    private mutating func readRecords(
        from first: UInt64, _ damages: inout [SnapshotDamage]
    ) throws(FileSystemError) {
        try searchRecords(to: first, before: Array(batch.key(0)), &damages)
        blockInHand = recordPosition < first ? first : nil
        guard blockInHand == nil else { return }
        lastKey = Array(batch.key(batch.count - 1))
        try readRecords(&damages)
    }

    /// Reads the records that the block describes.
    private mutating func readRecords(_ damages: inout [SnapshotDamage]) throws(FileSystemError) {
        for index in 0..<batch.count {
            let entry = batch.entry(index)
            let keyStart = keys.count
            let end = entry.offset + UInt64(entry.length)
            let outcome = try RecordProbe.look(
                at: entry.offset, end: end, of: header, in: &window, adding: &keys)
            recordPosition = end
            let error: FormatError
            switch outcome {
            case .intact(let record):
                if let mismatch = mismatch(record, entry, index, keyStart) {
                    error = mismatch
                } else {
                    add(record, at: entry.offset, keyStart)
                    continue
                }
            case .damaged(_, let reason), .none(let reason):
                error = reason
            }
            keys.removeLast(keys.count - keyStart)
            damages.append(
                SnapshotDamage(item: .record(key: Array(batch.key(index))), part: entry.offset..<end, error: error))
        }
    }

    /// How a record that verifies differs from its entry; nil if it doesn't.
    private func mismatch(_ record: RecordHeader, _ entry: KeyBatch.Entry, _ index: Int, _ keyStart: Int)
        -> FormatError?
    {
        guard record.encodedLength == entry.length else { return .truncated }
        guard record.isValue(expiring: entry.expiry) else { return .invalidField(.expiry) }
        let isSame = keys.withUnsafeBytes { $0.slice(keyStart, $0.count - keyStart).elementsEqual(batch.key(index)) }
        guard isSame else { return .invalidField(.keyLength) }
        return isPossible(record) ? nil : .invalidField(.sequence)
    }

    /// Whether a snapshot can contain such a record: the value of a key, with a sequence number that the snapshot
    /// covers.
    private func isPossible(_ record: RecordHeader) -> Bool {
        record.isValue(expiring: record.expiry) && header.firstSequence == 1
            && record.canBeInSnapshot(upTo: header.predecessor?.lastSequence ?? 0)
    }

    private mutating func add(_ record: RecordHeader, at offset: UInt64, _ keyStart: Int) {
        records.append(
            FoundRecord(
                offset: offset, header: record, sequence: header.firstSequence + record.sequenceDistance,
                keyStart: keyStart, isIntact: true, beginsBatch: true))
        foundEnd = offset + UInt64(record.encodedLength)
    }

    /// Reads records that no block describes, or as many of them as are kept in memory at a time. They must still be in
    /// key order: a caller that continues from them relies on it.
    ///
    /// - Parameter next: The key that is known to follow them.
    private mutating func searchRecords(
        to end: UInt64, before next: [UInt8]? = nil, _ damages: inout [SnapshotDamage]
    ) throws(FileSystemError) {
        guard end > recordPosition else { return }
        metUntoldPart = true
        var search = RecordSearch(header)
        let reached = try search.search(from: recordPosition, to: end, beginsBatch: true, in: &window)
        var at = recordPosition
        for record in search.records where record.isIntact && isPossible(record.header) {
            let key = search.keys[record.keyStart!..<record.keyStart! + Int(record.header.keyLength)]
            guard lastKey.isEmpty || lastKey[...].lexicographicallyPrecedes(key),
                next.map({ key.lexicographicallyPrecedes($0) }) ?? true
            else { continue }
            if record.offset > at { damages.append(lost(at..<record.offset)) }
            lastKey = Array(key)
            let keyStart = keys.count
            keys += key
            add(record.header, at: record.offset, keyStart)
            at = record.end
        }
        if at < reached { damages.append(lost(at..<reached)) }
        recordPosition = reached
    }

    private func lost(_ part: Range<UInt64>) -> SnapshotDamage {
        SnapshotDamage(item: .records, part: part, error: .checksumMismatch)
    }

    /// If nothing else was wrong, all counts must match the footer.
    private mutating func finish(_ damages: inout [SnapshotDamage]) {
        guard let footer, damages.isEmpty else { return }
        let isSame =
            totals.records == footer.recordCount && totals.blocks == footer.blockCount
            && totals.keyBytes == footer.keyBytes && totals.expiring == footer.expiringCount
            && recordPosition == footer.keySectionOffset && !metUntoldPart
        guard !isSame, !metDamagedBlock else { return }
        damages.append(
            SnapshotDamage(
                item: .footer, part: footerOffset..<file.size, error: .invalidField(.snapshotLength)))
    }
}

extension UnsafeRawBufferPointer {
    /// Key order: by bytes.
    package func precedes(_ other: UnsafeRawBufferPointer) -> Bool { lexicographicallyPrecedes(other) }
}
