internal import HeartwoodTesting
internal import HeartwoodFormat

/// The input: the file's salt (4 bytes), the commit's offset (8), then the header and what follows it.
///
/// A header is accepted exactly if the rules of the page on the format accept it, and then its encoding is the same
/// bytes; of another salt or at another offset it never is.
enum CommitHeaderTarget {
    static func run(_ input: UnsafeRawBufferPointer, in workspace: Workspace) {
        guard let placed = PlacedInput([UInt8](input)) else { return }
        let header = placed.bytes
        for lenient in [false, true] {
            let expected = expected(header, placed.salt, placed.offset, lenient)
            placed.judge("a header", expected: expected) { salt, offset in
                decode(header, salt, offset, lenient, workspace)
            } check: { found in
                let again = found.encoded(salt: placed.salt, offset: placed.offset)
                require(again == Array(header[..<48]), "other bytes: \(found)")
            }
        }
    }

    private static func decode(
        _ bytes: [UInt8], _ salt: UInt32, _ offset: UInt64, _ lenient: Bool, _ workspace: Workspace
    ) -> Result<CommitHeader, FormatError> {
        bytes.withUnsafeBytes { bytes in
            workspace.decoding(bytes) { (bytes) throws(FormatError) in
                try CommitHeader.decode(bytes, salt: salt, offset: offset, allowingUnknownFlags: lenient)
            }
        }
    }

    /// What is wrong with a header; `lenient`: with its word on durability.
    static func expected(_ bytes: [UInt8], _ salt: UInt32, _ offset: UInt64, _ lenient: Bool) -> FormatError? {
        if bytes.count < 48 { return .truncated }
        if bytes[..<4] != [0x48, 0x57, 0x43, 0x4D] { return .wrongMagic }
        let checksum = bytes.checksum(0..<44, salt: salt, offset: offset)
        if bytes.number(at: 44, bytes: 4) != UInt64(checksum) { return .checksumMismatch }
        if bytes.number(at: 24, bytes: 8) > offset { return .invalidField(.syncedMark) }
        let flags = bytes.number(at: 4, bytes: 4)
        if flags > 3 { return lenient ? nil : .unsupported(.commitFlags(UInt32(flags))) }
        let body = bytes.number(at: 8, bytes: 8)
        let records = bytes.number(at: 40, bytes: 4)
        if body % 8 != 0 { return .invalidField(.bodyLength) }
        let isMark = flags & 1 != 0
        if body / 32 < records || isMark != (records == 0) || isMark != (body == 0) || flags == 2 {
            return .invalidField(.recordCount)
        }
        return nil
    }

    static func mutate(_ input: [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) -> [UInt8] {
        PlacedInput.mutate(
            input, least: 48, placeChance: 4, maximum: FuzzTarget.commitHeader.maximumInput, &random, blind
        ) { placed, random in
            Mutation.changeCommitHeader(&placed.bytes, at: 0, fileOffset: placed.offset, &random, blind)
            Repair.commitHeader(&placed.bytes, at: 0, salt: placed.salt, fileOffset: placed.offset)
        }
    }
}
