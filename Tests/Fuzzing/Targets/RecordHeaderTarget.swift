internal import HeartwoodTesting
internal import HeartwoodFormat

/// The input: the file's salt (4 bytes), the record's offset (8), then the header and what follows it.
///
/// A header is accepted exactly if the rules of the page on the format accept it, its fields are those of the bytes,
/// and its lengths stay within the limits; of another salt or at another offset it never is.
enum RecordHeaderTarget {
    private static let prefix = 12

    static func run(_ input: UnsafeRawBufferPointer, in workspace: Workspace) {
        guard input.count >= prefix else { return }
        let bytes = [UInt8](input)
        let salt = UInt32(bytes.number(at: 0, bytes: 4))
        let offset = bytes.number(at: 4, bytes: 8)
        let header = Array(bytes[prefix...])
        switch (decode(header, salt, offset, workspace), expected(header, salt, offset)) {
        case (.success(let found), nil):
            check(found, header, salt, offset)
            require(
                decode(header, salt ^ 1 << (salt % 32), offset, workspace) == .failure(.checksumMismatch),
                "a header of another file was read")
            require(
                decode(header, salt, offset ^ 8 << (offset % 32), workspace) == .failure(.checksumMismatch),
                "a header of another place was read")
        case (.failure(let found), let expected?):
            require(found == expected, "a header was refused as \(found), not \(expected)")
            require(!found.description.isEmpty, "an error without words")
        case (.failure(let found), nil): violated("a sound header was refused: \(found)")
        case (.success(let header), let expected?): violated("\(expected), and yet it was read: \(header)")
        }
    }

    private static func decode(
        _ bytes: [UInt8], _ salt: UInt32, _ offset: UInt64, _ workspace: Workspace
    ) -> Result<RecordHeader, FormatError> {
        bytes.withUnsafeBytes { bytes in
            workspace.decoding(bytes) { (bytes) throws(FormatError) in
                try RecordHeader.decode(bytes, salt: salt, offset: offset)
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
    static func expected(_ bytes: [UInt8], _ salt: UInt32, _ offset: UInt64) -> FormatError? {
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
        if flags > 3 { return .unsupported(.recordFlags(flags)) }
        if key == 0 { return .invalidField(.keyLength) }
        if bytes.isZero(16..<24) == (kind == 2) { return .invalidField(.expiry) }
        if kind == 3, value != 0 || flags & 2 != 0 { return .invalidField(.valueLength) }
        return flags & 2 != 0 && value <= 4 ? .invalidField(.valueLength) : nil
    }

    static func mutate(_ input: [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) -> [UInt8] {
        if random.oneIn(8) { return blind(input, FuzzTarget.recordHeader.maximumInput) }
        var bytes = input
        if bytes.count < prefix + 32 { bytes.append(contentsOf: repeatElement(0, count: prefix + 32 - bytes.count)) }
        if random.oneIn(4) {
            bytes.replaceSubrange(..<prefix, with: Mutation.sameLength(Array(bytes[..<prefix]), blind))
        }
        let salt = UInt32(bytes.number(at: 0, bytes: 4))
        let offset = bytes.number(at: 4, bytes: 8)
        var header = Array(bytes[prefix...])
        Mutation.changeRecordHeader(&header, at: 0, &random, blind)
        Repair.recordHeader(&header, at: 0, salt: salt, fileOffset: offset)
        return bytes[..<prefix] + header
    }
}
