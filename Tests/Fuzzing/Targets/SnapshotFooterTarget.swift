internal import HeartwoodTesting
internal import HeartwoodFormat

/// The input: the file's salt (4 bytes), the footer's offset (8), then the footer and what follows it.
///
/// A footer is accepted exactly if the rules of the page on the format accept it, and then its encoding is the same
/// bytes, and its counts fit into the file; of another salt or at another offset it never is.
enum SnapshotFooterTarget {
    private static let prefix = 12

    static func run(_ input: UnsafeRawBufferPointer, in workspace: Workspace) {
        guard input.count >= prefix else { return }
        let bytes = [UInt8](input)
        let salt = UInt32(bytes.number(at: 0, bytes: 4))
        let offset = bytes.number(at: 4, bytes: 8)
        let footer = Array(bytes[prefix...])
        switch (decode(footer, salt, offset, workspace), expected(footer, salt, offset)) {
        case (.success(let found), nil):
            require(found.encoded(salt: salt, offset: offset) == Array(footer[..<64]), "other bytes: \(found)")
            require(
                decode(footer, salt ^ 1 << (salt % 32), offset, workspace) == .failure(.checksumMismatch),
                "a footer of another file was read")
            require(
                decode(footer, salt, offset ^ 8 << (offset % 32), workspace) == .failure(.checksumMismatch),
                "a footer of another place was read")
        case (.failure(let found), let expected?):
            require(found == expected, "a footer was refused as \(found), not \(expected)")
            require(!found.description.isEmpty, "an error without words")
        case (.failure(let found), nil): violated("a sound footer was refused: \(found)")
        case (.success(let found), let expected?): violated("\(expected), and yet it was read: \(found)")
        }
    }

    private static func decode(
        _ bytes: [UInt8], _ salt: UInt32, _ offset: UInt64, _ workspace: Workspace
    ) -> Result<SnapshotFooter, FormatError> {
        bytes.withUnsafeBytes { bytes in
            workspace.decoding(bytes) { (bytes) throws(FormatError) in
                try SnapshotFooter.decode(bytes, salt: salt, offset: offset)
            }
        }
    }

    /// What is wrong with a footer.
    static func expected(_ bytes: [UInt8], _ salt: UInt32, _ offset: UInt64) -> FormatError? {
        if bytes.count < 64 { return .truncated }
        if bytes[..<4] != [0x48, 0x57, 0x53, 0x46] { return .wrongMagic }
        let checksum = bytes.checksum(0..<60, salt: salt, offset: offset)
        if bytes.number(at: 60, bytes: 4) != UInt64(checksum) { return .checksumMismatch }
        let flags = bytes.number(at: 4, bytes: 4)
        if flags != 0 { return .unsupported(.snapshotFlags(UInt32(flags))) }
        if !bytes.isZero(48..<60) { return .invalidField(.reserved) }
        func field(_ at: Int) -> UInt64 { bytes.number(at: at, bytes: 8) }
        let (records, keys, blocks, keyBytes, expiring) = (field(8), field(16), field(24), field(32), field(40))
        let isInPlace = offset % 8 == 0 && keys % 8 == 0 && keys >= 4096 && keys <= offset && keys <= 1 << 54
        guard isInPlace else { return .invalidField(.snapshotLength) }
        let fits =
            records <= (keys - 4096) / 40 && records <= (offset - keys) / 4 && keyBytes <= keys - 4096
            && expiring <= records && blocks <= records && blocks <= (offset - keys) / 32
        return fits && (blocks > 0 || records == 0) ? nil : .invalidField(.snapshotLength)
    }

    static func mutate(_ input: [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) -> [UInt8] {
        if random.oneIn(8) { return blind(input, FuzzTarget.snapshotFooter.maximumInput) }
        var bytes = input
        if bytes.count < prefix + 64 { bytes.append(contentsOf: repeatElement(0, count: prefix + 64 - bytes.count)) }
        if random.oneIn(4) {
            bytes.replaceSubrange(..<prefix, with: Mutation.sameLength(Array(bytes[..<prefix]), blind))
        }
        let salt = UInt32(bytes.number(at: 0, bytes: 4))
        let offset = bytes.number(at: 4, bytes: 8)
        var footer = Array(bytes[prefix...])
        Mutation.changeFooter(&footer, at: 0, fileOffset: offset, &random, blind)
        Repair.footer(&footer, at: 0, salt: salt, fileOffset: offset)
        return bytes[..<prefix] + footer
    }
}
