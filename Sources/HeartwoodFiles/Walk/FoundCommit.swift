package import HeartwoodFormat

/// Data that was committed together, as far as it was found: batches in order.
package struct FoundCommit {
    package var time: UInt64
    package var records: [FoundRecord]
    package var keys: [UInt8]
    package var batches: [FoundBatch]
    /// Whether opening the store would skip it.
    package var isBehindTear: Bool

    /// What verifies in a damaged part.
    package init(_ damage: LogDamage, isBehindTear: Bool) {
        (time, records, keys, batches) = (damage.time, damage.records, damage.keys, damage.batches)
        self.isBehindTear = isBehindTear
    }

    package init(_ commit: ScannedCommit, isBehindTear: Bool) {
        records = []
        records.reserveCapacity(commit.records.count)
        var begins = !commit.beginsWithinBatch
        for record in commit.records {
            records.append(
                FoundRecord(
                    offset: record.offset, header: record.header, sequence: record.sequence, keyStart: record.keyStart,
                    isIntact: true, beginsBatch: begins))
            begins = !record.header.flags.contains(.batchContinues)
        }
        (time, keys, batches) = (commit.header.time, commit.keys, records.batches)
        self.isBehindTear = isBehindTear
    }

    package func key(of record: FoundRecord) -> ArraySlice<UInt8> {
        guard let start = record.keyStart else { return [] }
        return keys[start..<start + Int(record.header.keyLength)]
    }
}

extension LogDamage {
    /// A record that verifies but whose value can't be read back. The commit around it proves that it was written.
    package init(unreadable record: FoundRecord, in commit: ScannedCommit, _ error: FormatError) {
        self.init(
            part: record.offset..<record.end, offset: record.offset, error: error,
            proof: .laterMark(offset: commit.offset, mark: commit.end, sequence: commit.nextSequence),
            expected: record.sequence, next: record.sequence + 1, records: [], keys: [], batches: [],
            time: commit.header.time, contentEnd: record.end)
    }
}
