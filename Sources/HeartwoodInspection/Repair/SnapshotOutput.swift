internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Writes the snapshot of a repaired store. The data for its key section is kept in a temporary file until the records
/// are written, so memory use is constant.
final class SnapshotOutput {
    private let header: FileHeader
    private let file: OutputFile
    private let fileSystem: any FileSystem
    private let side: OutputFile
    private var footer = SnapshotFooter(
        recordCount: 0, keySectionOffset: 0, blockCount: 0, keyBytes: 0, expiringCount: 0)
    /// Bytes of an entry in the temporary file, without its key.
    private static let sideBytes = 14

    init(_ path: String, _ header: FileHeader, in fileSystem: any FileSystem) throws(FileSystemError) {
        self.header = header
        self.fileSystem = fileSystem
        file = try OutputFile(path, in: fileSystem)
        side = try OutputFile(path + ".keys.tmp", in: fileSystem)
        try file.append(header.encoded())
    }

    var bytes: UInt64 { file.position }

    /// Adds a record. Its key must be greater than the key of the preceding record.
    func add(_ record: FoundRecord, key: ArraySlice<UInt8>, from window: inout FileWindow) throws {
        let tag = ChecksumTag(salt: header.salt, offset: file.position)
        var space = [UInt8](repeating: 0, count: FormatConstants.recordHeaderSize)
        space.withUnsafeMutableBytes { memory in
            record.header.encode(
                to: memory.baseAddress!, sequenceDistance: record.sequence - header.firstSequence, tag: tag)
        }
        try file.append(space)
        try file.appendPayload(of: record, from: &window)
        var entry = [UInt8](repeating: 0, count: Self.sideBytes)
        entry.withUnsafeMutableBytes { memory in
            memory.baseAddress!.store(UInt16(key.count), littleEndianAt: 0)
            memory.baseAddress!.store(UInt32(record.header.encodedLength / 8), littleEndianAt: 2)
            memory.baseAddress!.store(record.header.expiry, littleEndianAt: 6)
        }
        try side.append(entry + key)
        footer.recordCount += 1
        footer.keyBytes += UInt64(key.count)
        if record.header.expiry != 0 { footer.expiringCount += 1 }
    }

    /// Writes the key section and the footer, and makes the file durable.
    func finish() throws {
        footer.keySectionOffset = file.position
        try side.finish()
        try writeKeys()
        try fileSystem.remove(side.path)
        try file.append(footer.encoded(salt: header.salt, offset: file.position))
        try file.finish()
    }

    private func writeKeys() throws {
        let beside = try fileSystem.openFile(side.path, for: .read)
        defer { try? beside.close() }
        var window = try FileWindow(beside)
        var encoder = KeyBlockEncoder()
        var (at, offset) = (UInt64(0), UInt64(FormatConstants.fileHeaderSize))
        while at < window.count {
            let (keyLength, length, expiry) = try window.withBytes(at: at, count: Self.sideBytes) { bytes in
                (
                    Int(bytes.load(UInt16.self, littleEndianAt: 0)),
                    Int(bytes.load(UInt32.self, littleEndianAt: 2)) * 8, bytes.load(UInt64.self, littleEndianAt: 6)
                )
            }
            try window.withBytes(at: at + UInt64(Self.sideBytes), count: keyLength) { key in
                encoder.add(key, offset: offset, length: length, expiry: expiry)
            }
            at += UInt64(Self.sideBytes + keyLength)
            offset += UInt64(length)
            if encoder.isFull { try write(&encoder) }
        }
        if !encoder.isEmpty { try write(&encoder) }
    }

    private func write(_ encoder: inout KeyBlockEncoder) throws {
        let file = file
        try encoder.finish(salt: header.salt, offset: file.position) { (bytes) throws(FileSystemError) in
            try file.append(bytes)
        }
        footer.blockCount += 1
    }
}
