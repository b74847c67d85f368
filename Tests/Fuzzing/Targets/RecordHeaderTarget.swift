internal import HeartwoodTesting
internal import HeartwoodFormat

/// The input: the file's salt (4 bytes), the record's offset (8), then the header and what follows it.
///
/// A header is accepted exactly if the rules of the file format accept it, its fields are those of the bytes, and its
/// lengths stay within the limits. With another salt or at another offset it is never accepted. It is read as a header
/// of a log of version 3, and as a header of any other file.
enum RecordHeaderTarget {
    static func run(_ input: UnsafeRawBufferPointer, in workspace: Workspace) {
        guard let located = LocatedInput([UInt8](input)) else { return }
        let header = located.bytes
        for flags in [.original, .known] as [RecordHeader.Flags] {
            let problem = expected(header, located.salt, located.offset, marksBatches: flags == .known)
            located.judge("a header", expected: problem) { salt, offset in
                workspace.decoding(header) { (bytes) throws(FormatError) in
                    try RecordHeader.decode(bytes, salt: salt, offset: offset, flags: flags)
                }
            } check: { found in
                check(found, header, located.salt, located.offset)
            }
        }
    }

    private static func check(_ found: RecordHeader, _ bytes: [UInt8], _ salt: UInt32, _ offset: UInt64) {
        let payload = found.payloadChecksum ^ salt ^ UInt32(truncatingIfNeeded: offset / 8)
        require(
            found.kind.rawValue == bytes[0] && found.flags.rawValue == bytes[1]
                && UInt64(found.keyLength) == bytes.number(at: 2, bytes: 2)
                && UInt64(found.valueLength) == bytes.number(at: 4, bytes: 4)
                && found.sequenceDistance == bytes.number(at: 8, bytes: 8)
                && found.expiry == bytes.number(at: 16, bytes: 8)
                && UInt64(payload) == bytes.number(at: 24, bytes: 4), "a field differs: \(found)")
        let length = found.encodedLength
        require(
            length % 8 == 0 && length <= 2_147_479_552 && (0..<8).contains(length - 32 - found.payloadLength),
            "a length of \(length): \(found)")
    }

    /// What is wrong with a header.
    ///
    /// - Parameter marksBatches: Whether the file is a log of version 3, whose records may have flag 4.
    static func expected(
        _ bytes: [UInt8], _ salt: UInt32, _ offset: UInt64, marksBatches: Bool
    ) -> FormatError? {
        if bytes.count < 32 { return .truncated }
        let checksum = bytes.checksum(0..<28, salt: salt, offset: offset)
        if bytes.number(at: 28, bytes: 4) != UInt64(checksum) { return .checksumMismatch }
        let kind = bytes[0]
        if kind == 0 || (4..<128).contains(kind) { return .unsupported(.recordKind(kind)) }
        let key = bytes.number(at: 2, bytes: 2)
        let value = bytes.number(at: 4, bytes: 4)
        if 32 + (key + value + 7) / 8 * 8 > 2_147_479_552 { return .invalidField(.valueLength) }
        if kind >= 128 { return nil }
        let flags = bytes[1]
        if flags > (marksBatches ? 7 : 3) { return .unsupported(.recordFlags(flags)) }
        if key == 0 { return .invalidField(.keyLength) }
        if bytes.isZero(16..<24) == (kind == 2) { return .invalidField(.expiry) }
        if kind == 3, value != 0 || flags & 2 != 0 { return .invalidField(.valueLength) }
        return flags & 2 != 0 && value <= 4 ? .invalidField(.valueLength) : nil
    }

    static func mutate(_ input: [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) -> [UInt8] {
        LocatedInput.mutate(
            input, least: 32, maximum: FuzzTarget.recordHeader.maximumInput, &random, blind
        ) { located, random in
            Mutation.changeRecordHeader(&located.bytes, at: 0, &random, blind)
            Repair.seal(&located.bytes, at: 0, count: 28, salt: located.salt, fileOffset: located.offset)
        }
    }
}
