internal import HeartwoodTesting
internal import HeartwoodFormat

/// The input: the file's salt (4 bytes), the footer's offset (8), then the footer and what follows it.
///
/// A footer is accepted exactly if the rules of the file format accept it, and then its encoding is the same bytes, and
/// its counts fit into the file. With another salt or at another offset it is never accepted.
enum SnapshotFooterTarget {
    static func run(_ input: UnsafeRawBufferPointer, in workspace: Workspace) {
        guard let located = LocatedInput([UInt8](input)) else { return }
        let footer = located.bytes
        located.judge("a footer", expected: expected(footer, located.salt, located.offset)) { salt, offset in
            workspace.decoding(footer) { (bytes) throws(FormatError) in
                try SnapshotFooter.decode(bytes, salt: salt, offset: offset)
            }
        } check: { found in
            let again = found.encoded(salt: located.salt, offset: located.offset)
            require(again == Array(footer[..<64]), "other bytes: \(found)")
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
        let isAligned = offset % 8 == 0 && keys % 8 == 0 && keys >= 4096 && keys <= offset && keys <= 1 << 54
        guard isAligned else { return .invalidField(.snapshotLength) }
        let fits =
            records <= (keys - 4096) / 40 && records <= (offset - keys) / 4 && keyBytes <= keys - 4096
            && expiring <= records && blocks <= records && blocks <= (offset - keys) / 32
        return fits && (blocks > 0 || records == 0) ? nil : .invalidField(.snapshotLength)
    }

    static func mutate(_ input: [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) -> [UInt8] {
        LocatedInput.mutate(
            input, least: 64, maximum: FuzzTarget.snapshotFooter.maximumInput, &random, blind
        ) { located, random in
            Mutation.changeFooter(&located.bytes, at: 0, fileOffset: located.offset, &random, blind)
            Repair.seal(&located.bytes, at: 0, count: 60, salt: located.salt, fileOffset: located.offset)
        }
    }
}
