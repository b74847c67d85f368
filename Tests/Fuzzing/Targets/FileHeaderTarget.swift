internal import HeartwoodTesting
internal import HeartwoodFormat

/// The input, its zeros folded, is the start of a file.
///
/// A header is accepted exactly if the rules of the file format, repeated here, accept it, and then its encoding is the
/// same bytes. Bytes after it change nothing.
enum FileHeaderTarget {
    static func run(_ input: UnsafeRawBufferPointer, in workspace: Workspace) {
        let bytes = FoldedZeros.unfold(input, limit: 8192)
        let result = workspace.decoding(bytes) { (bytes) throws(FormatError) in try FileHeader.decode(bytes) }
        switch (result, expected(bytes)) {
        case (.success(let header), nil):
            require(header.encoded() == Array(bytes[..<4096]), "a header is encoded as other bytes: \(header)")
        case (.failure(let found), let expected?):
            require(found == expected, "a header was refused as \(found), not \(expected)")
            require(!found.description.isEmpty, "an error without a description")
        case (.failure(let found), nil): violated("a sound header was refused: \(found)")
        case (.success(let header), let expected?): violated("\(expected), but it was accepted: \(header)")
        }
    }

    /// What is wrong with a header, in the order of the checks in the file format.
    private static func expected(_ bytes: [UInt8]) -> FormatError? {
        if bytes.count < 4096 { return .truncated }
        if bytes[..<8] != [0x48, 0x57, 0x4F, 0x4F, 0x44, 0x0D, 0x0A, 0x1A] { return .wrongMagic }
        if bytes.number(at: 4092, bytes: 4) != UInt64(bytes.checksum(0..<4092)) { return .checksumMismatch }
        let version = bytes.number(at: 8, bytes: 2)
        if !(1...3).contains(version) { return .unsupported(.version(UInt16(version))) }
        if bytes[10] != 1, bytes[10] != 2 { return .unsupported(.fileKind(bytes[10])) }
        // Logs are of version 1 or 3, snapshots of version 2.
        if (version == 2) != (bytes[10] == 2) { return .unsupported(.version(UInt16(version))) }
        if bytes[11] != 0 { return .unsupported(.fileFlags(bytes[11])) }
        if bytes.isZero(12..<16) { return .invalidField(.salt) }
        let first = bytes.number(at: 32, bytes: 8)
        if first == 0 || first >= 1 << 63 { return .invalidField(.sequence) }
        if !bytes.isZero(44..<48) || !bytes.isZero(72..<4092) { return .invalidField(.reserved) }
        if bytes.isZero(40..<44) { return bytes.isZero(48..<64) ? nil : .invalidField(.reserved) }
        return bytes.number(at: 48, bytes: 8) >= 1 << 63 ? .invalidField(.sequence) : nil
    }

    static func mutate(_ input: [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) -> [UInt8] {
        if random.oneIn(8) { return blind(input, FuzzTarget.fileHeader.maximumInput) }
        var bytes = input.withUnsafeBytes { FoldedZeros.unfold($0, limit: 8192) }
        if bytes.count < 4096 { bytes.append(contentsOf: repeatElement(0, count: 4096 - bytes.count)) }
        Mutation.changeFileHeader(&bytes, &random, blind)
        Repair.fileHeader(&bytes)
        return FoldedZeros.fold(bytes)
    }
}
