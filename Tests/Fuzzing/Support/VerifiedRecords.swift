internal import HeartwoodFormat

/// The valid records of some files, found without the library: at every possible offset of a record, both checksums
/// must hold under the same salt, whatever that salt is.
struct VerifiedRecords {
    /// What a record writes.
    struct Content: Hashable {
        var kind: UInt8
        var isCompressed: Bool
        var expiry: UInt64
        var key: [UInt8]
        var stored: [UInt8]

        /// Marks a sequence number that a repair could not recover.
        var isLostBatch: Bool { kind == 128 && key.isEmpty && stored.isEmpty }
    }

    struct Record {
        var content: Content
        var distance: UInt64
        /// The salt under which both checksums hold.
        var salt: UInt32
    }

    /// The sequence numbers that a content was written with.
    private var numbers: [Content: Set<UInt64>] = [:]

    init(_ image: DirectoryImage) {
        let headers = image.files.compactMap { file in
            try? file.bytes.withUnsafeBytes { try FileHeader.decode($0) }
        }
        for (name, bytes) in image.files {
            let records = Self.records(of: bytes)
            let firsts = Self.firsts(name, bytes, Set(records.map(\.distance)))
            for record in records {
                // A file may be a copy of another file, or contain a block of it.
                let copied = headers.lazy.filter { $0.salt == record.salt }.map(\.firstSequence)
                numbers[record.content, default: []].formUnion(firsts.union(copied).map { $0 &+ record.distance })
            }
        }
    }

    /// Whether this was written with this sequence number.
    func contains(_ content: Content, number: UInt64) -> Bool { numbers[content]?.contains(number) ?? false }

    /// Whether a key was set to this stored value with this sequence number.
    func contains(key: [UInt8], stored: [UInt8], number: UInt64) -> Bool {
        numbers.contains { $0.key.key == key && $0.key.stored == stored && $0.value.contains(number) }
    }

    // MARK: - Searching

    static func records(of bytes: [UInt8]) -> [Record] {
        stride(from: 4096, to: max(4096, bytes.count - 31), by: 8).compactMap { record(at: $0, of: bytes) }
    }

    private static func record(at offset: Int, of bytes: [UInt8]) -> Record? {
        let (kind, flags) = (bytes[offset], bytes[offset + 1])
        guard kind > 0, kind < 4 && flags < 8 || kind >= 128 else { return nil }
        let keyLength = Int(bytes.number(at: offset + 2, bytes: 2))
        let valueLength = Int(bytes.number(at: offset + 4, bytes: 4))
        let end = offset + 32 + (keyLength + valueLength + 7) / 8 * 8
        guard end <= bytes.count else { return nil }
        let header = UInt32(bytes.number(at: offset + 28, bytes: 4)) ^ bytes.checksum(offset..<(offset + 28))
        let payload = UInt32(bytes.number(at: offset + 24, bytes: 4)) ^ bytes.checksum((offset + 32)..<end)
        guard header == payload else { return nil }
        let value = offset + 32 + keyLength
        let content = Content(
            kind: kind, isCompressed: flags & 2 != 0, expiry: bytes.number(at: offset + 16, bytes: 8),
            key: Array(bytes[(offset + 32)..<value]), stored: Array(bytes[value..<(value + valueLength)]))
        return Record(
            content: content, distance: bytes.number(at: offset + 8, bytes: 8),
            salt: header ^ UInt32(truncatingIfNeeded: offset / 8))
    }

    /// The sequence numbers that a file may begin with: from its header, its name, and its commits. Each commit names
    /// its first number, and its first record the distance to the file's first. A mark names the next number after the
    /// records in front of it.
    private static func firsts(_ name: String, _ bytes: [UInt8], _ distances: Set<UInt64>) -> Set<UInt64> {
        var firsts: Set<UInt64> = [1]
        if case .log(let first) = StoreFileName(name) { firsts.insert(first) }
        if bytes.count >= 40 { firsts.insert(bytes.number(at: 32, bytes: 8)) }
        var at = 4096
        while at + 48 <= bytes.count {
            if SegmentLayout.isCommit(bytes, at) {
                let first = bytes.number(at: at + 16, bytes: 8)
                firsts.formUnion(distances.map { first &- $0 &- 1 } + [first])
                if at + 80 <= bytes.count { firsts.insert(first &- bytes.number(at: at + 56, bytes: 8)) }
            }
            at += 8
        }
        return firsts
    }
}
