internal import HeartwoodTesting
internal import HeartwoodFormat

/// The input: the file's salt (4 bytes), the commit's offset (8), then the header and what follows it.
///
/// A header is accepted exactly if the rules of the page on the format accept it, and then its encoding is the same
/// bytes; of another salt or at another offset it never is.
enum CommitHeaderTarget {
    private static let prefix = 12

    static func run(_ input: UnsafeRawBufferPointer, in workspace: Workspace) {
        guard input.count >= prefix else { return }
        let bytes = [UInt8](input)
        let salt = UInt32(bytes.number(at: 0, bytes: 4))
        let offset = bytes.number(at: 4, bytes: 8)
        let header = Array(bytes[prefix...])
        for lenient in [false, true] {
            let result = decode(header, salt, offset, lenient, workspace)
            switch (result, expected(header, salt, offset, lenient)) {
            case (.success(let found), nil):
                require(found.encoded(salt: salt, offset: offset) == Array(header[..<48]), "other bytes: \(found)")
                require(
                    decode(header, salt ^ 1 << (salt % 32), offset, lenient, workspace)
                        == .failure(.checksumMismatch), "a header of another file was read")
                require(
                    decode(header, salt, offset ^ 8 << (offset % 32), lenient, workspace)
                        == .failure(.checksumMismatch), "a header of another place was read")
            case (.failure(let found), let expected?):
                require(found == expected, "a header was refused as \(found), not \(expected)")
                require(!found.description.isEmpty, "an error without words")
            case (.failure(let found), nil): violated("a sound header was refused: \(found)")
            case (.success(let header), let expected?): violated("\(expected), and yet it was read: \(header)")
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
        if random.oneIn(8) { return blind(input, FuzzTarget.commitHeader.maximumInput) }
        var bytes = input
        if bytes.count < prefix + 48 { bytes.append(contentsOf: repeatElement(0, count: prefix + 48 - bytes.count)) }
        if random.oneIn(4) {
            bytes.replaceSubrange(..<prefix, with: Mutation.sameLength(Array(bytes[..<prefix]), blind))
        }
        let salt = UInt32(bytes.number(at: 0, bytes: 4))
        let offset = bytes.number(at: 4, bytes: 8)
        var header = Array(bytes[prefix...])
        Mutation.changeCommitHeader(&header, at: 0, fileOffset: offset, &random, blind)
        Repair.commitHeader(&header, at: 0, salt: salt, fileOffset: offset)
        return bytes[..<prefix] + header
    }
}
