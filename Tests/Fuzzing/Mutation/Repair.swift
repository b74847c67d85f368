internal import HeartwoodTesting

/// Repairs the fields that decoders check first, so that changes to other fields are reached.
enum Repair {
    /// What is repaired besides the checksums.
    struct Fields: OptionSet {
        let rawValue: Int
        /// Lengths of bodies, numbers of records, the ends of batches.
        static let lengths = Fields(rawValue: 1)
        /// Sequence numbers, dense from the first of the file.
        static let numbers = Fields(rawValue: 2)
        /// Synced marks that are not after their commits.
        static let marks = Fields(rawValue: 4)
        /// The flags that connect the records of a batch.
        static let batches = Fields(rawValue: 8)

        static func drawn(_ random: inout SeededRandom) -> Fields {
            var fields: Fields = []
            if !random.oneIn(3) { fields.insert(.lengths) }
            if !random.oneIn(4) { fields.insert(.numbers) }
            if !random.oneIn(4) { fields.insert(.marks) }
            if !random.oneIn(4) { fields.insert(.batches) }
            return fields
        }
    }

    static func fileHeader(_ bytes: inout [UInt8]) {
        guard bytes.count >= 4096 else { return }
        bytes.setNumber(UInt64(bytes.checksum(0..<4092)), at: 4092, bytes: 4)
    }

    /// Sets the checksum after the first `count` bytes of a commit's or a record's header, or of a footer.
    static func seal(_ bytes: inout [UInt8], at offset: Int, count: Int, salt: UInt32, fileOffset: UInt64) {
        let crc = bytes.checksum(offset..<(offset + count), salt: salt, offset: fileOffset)
        bytes.setNumber(UInt64(crc), at: offset + count, bytes: 4)
    }

    /// Repairs a block that has the length in its header, or ends with the bytes.
    static func keyBlock(_ bytes: inout [UInt8], at offset: Int, salt: UInt32, fileOffset: UInt64) {
        let end = offset + 32 + Int(min(bytes.number(at: offset + 16, bytes: 4), UInt64(bytes.count - offset - 32)))
        let entries = bytes.checksum((offset + 32)..<end, salt: salt, offset: fileOffset)
        bytes.setNumber(UInt64(entries), at: offset + 24, bytes: 4)
        seal(&bytes, at: offset, count: 28, salt: salt, fileOffset: fileOffset)
    }

    /// Repairs all checksums of a segment, and the given fields.
    static func segment(_ bytes: inout [UInt8], _ fields: Fields) {
        guard bytes.count >= 4096 else { return }
        fileHeader(&bytes)
        let salt = UInt32(bytes.number(at: 12, bytes: 4))
        let first = bytes.number(at: 32, bytes: 8)
        var next = first
        for commit in SegmentLayout(bytes).commits {
            let at = commit.offset
            if fields.contains(.numbers) { bytes.setNumber(next, at: at + 16, bytes: 8) }
            if fields.contains(.lengths) { lengths(&bytes, commit) }
            if fields.contains(.marks), bytes.number(at: at + 24, bytes: 8) > at {
                bytes.setNumber(UInt64(at), at: at + 24, bytes: 8)
            }
            if fields.contains(.batches) { batches(&bytes, commit) }
            for record in commit.records {
                if fields.contains(.numbers) {
                    bytes.setNumber(next &- first, at: record.lowerBound + 8, bytes: 8)
                }
                if bytes[record.lowerBound + 1] & 1 == 0 { next &+= 1 }
                Self.record(&bytes, record, salt)
            }
            seal(&bytes, at: at, count: 44, salt: salt, fileOffset: UInt64(at))
        }
    }

    private static func lengths(_ bytes: inout [UInt8], _ commit: SegmentLayout.Commit) {
        let at = commit.offset
        bytes.setNumber(UInt64(commit.end - at - 48), at: at + 8, bytes: 8)
        bytes.setNumber(UInt64(commit.records.count), at: at + 40, bytes: 4)
        bytes[at + 4] = commit.records.isEmpty ? bytes[at + 4] | 1 : 0
        if let last = commit.records.last { bytes[last.lowerBound + 1] &= ~1 }
    }

    /// In version 3, each record repeats whether the previous record continues its batch. In version 1 none does.
    private static func batches(_ bytes: inout [UInt8], _ commit: SegmentLayout.Commit) {
        var isContinuation = false
        for record in commit.records {
            let at = record.lowerBound + 1
            bytes[at] = bytes[at] & ~4 | (isContinuation && bytes[8] == 3 ? 4 : 0)
            isContinuation = bytes[at] & 1 != 0
        }
    }

    static func record(_ bytes: inout [UInt8], _ record: Range<Int>, _ salt: UInt32) {
        let at = record.lowerBound
        let payload = bytes.checksum((at + 32)..<record.upperBound, salt: salt, offset: UInt64(at))
        bytes.setNumber(UInt64(payload), at: at + 24, bytes: 4)
        seal(&bytes, at: at, count: 28, salt: salt, fileOffset: UInt64(at))
    }
}
