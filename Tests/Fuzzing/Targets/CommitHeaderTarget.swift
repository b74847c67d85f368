internal import HeartwoodTesting
internal import HeartwoodFormat

/// The input: the file's salt (4 bytes), the commit's offset (8), then the header and what follows it.
///
/// A header is accepted exactly if the rules of the file format accept it, and then its encoding is the same bytes.
/// With another salt or at another offset it is never accepted.
enum CommitHeaderTarget {
    static func run(_ input: UnsafeRawBufferPointer, in workspace: Workspace) {
        guard let located = LocatedInput([UInt8](input)) else { return }
        let header = located.bytes
        for lenient in [false, true] {
            let expected = expected(header, located.salt, located.offset, lenient)
            located.judge("a header", expected: expected) { salt, offset in
                workspace.decoding(header) { (bytes) throws(FormatError) in
                    try CommitHeader.decode(bytes, salt: salt, offset: offset, allowingUnknownFlags: lenient)
                }
            } check: { found in
                let again = found.encoded(salt: located.salt, offset: located.offset)
                require(again == Array(header[..<48]), "other bytes: \(found)")
            }
        }
    }

    /// What is wrong with a header. `lenient`: unknown flags are allowed, as in the search for a proof of durability.
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
        LocatedInput.mutate(
            input, least: 48, maximum: FuzzTarget.commitHeader.maximumInput, &random, blind
        ) { located, random in
            Mutation.changeCommitHeader(&located.bytes, at: 0, fileOffset: located.offset, &random, blind)
            Repair.seal(&located.bytes, at: 0, count: 44, salt: located.salt, fileOffset: located.offset)
        }
    }
}
