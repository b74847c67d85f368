package import HeartwoodFormat

/// The positions of all items in an undamaged file.
package struct FileLayout: Sendable {
    package struct Record: Sendable {
        package var part: Range<Int>
        package var kind: RecordKind
        package var keyLength: Int
        package var valueLength: Int
        package var key: [UInt8]
        package var sequence: UInt64
    }
    package struct Commit: Sendable {
        package var part: Range<Int>
        package var records: [Record]
        package var header: CommitHeader
    }

    package var header: FileHeader
    package var commits: [Commit] = []
    /// The end of the last commit.
    package var end = 0

    /// The parts of a batch's records, by its sequence number.
    package var batches: [UInt64: [Range<Int>]] {
        Dictionary(commits.flatMap(\.records).map { ($0.sequence, [$0.part]) }, uniquingKeysWith: +)
    }

    package init(log bytes: [UInt8]) throws {
        header = try bytes.withUnsafeBytes { try FileHeader.decode($0) }
        var scanner = SegmentScanner(source: ArrayBytes(bytes: bytes), header: header)
        var commit = ScannedCommit()
        while case .commit = scanner.next(into: &commit) {
            let records = commit.records.map { record in
                let start = Int(record.offset)
                return Record(
                    part: start..<(start + record.header.encodedLength), kind: record.header.kind,
                    keyLength: Int(record.header.keyLength),
                    valueLength: Int(record.header.valueLength),
                    key: Array(commit.keys[record.keyStart..<(record.keyStart + Int(record.header.keyLength))]),
                    sequence: record.sequence)
            }
            commits.append(Commit(part: Int(commit.offset)..<Int(commit.end), records: records, header: commit.header))
        }
        end = commits.last?.part.upperBound ?? 4096
    }

    /// The records of a snapshot.
    package static func records(ofSnapshot bytes: [UInt8]) throws -> [Record] {
        let header = try bytes.withUnsafeBytes { try FileHeader.decode($0) }
        let footer = try footer(ofSnapshot: bytes)
        var records: [Record] = []
        var at = 4096
        while at < Int(footer.keySectionOffset) {
            let record = try bytes.withUnsafeBytes { all in
                try RecordHeader.decode(
                    UnsafeRawBufferPointer(rebasing: all[at...]), salt: header.salt, offset: UInt64(at),
                    flags: header.recordFlags)
            }
            records.append(
                Record(
                    part: at..<(at + record.encodedLength), kind: record.kind, keyLength: Int(record.keyLength),
                    valueLength: Int(record.valueLength),
                    key: Array(bytes[(at + 32)..<(at + 32 + Int(record.keyLength))]),
                    sequence: 1 + record.sequenceDistance))
            at += record.encodedLength
        }
        return records
    }

    static func footer(ofSnapshot bytes: [UInt8]) throws -> SnapshotFooter {
        try bytes.withUnsafeBytes { bytes in
            let offset = bytes.count - SnapshotFooter.encodedSize
            return try SnapshotFooter.decode(
                UnsafeRawBufferPointer(rebasing: bytes[offset...]), salt: FileHeader.decode(bytes).salt,
                offset: UInt64(offset))
        }
    }
}

/// An array as the source of a scanner.
package struct ArrayBytes: SegmentBytes {
    let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    package var count: UInt64 { UInt64(bytes.count) }

    package func withBytes<R>(at offset: UInt64, count: Int, _ body: (UnsafeRawBufferPointer) -> R) throws(Never) -> R {
        let start = min(Int(offset), bytes.count)
        let end = min(start + count, bytes.count)
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }
}
