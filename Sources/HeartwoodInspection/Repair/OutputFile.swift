internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// A file of the new store, written from start to end through a buffer.
final class OutputFile {
    let path: String
    /// The offset of the next byte.
    private(set) var position: UInt64 = 0
    private let file: any File
    private var buffer: [UInt8] = []
    private static let bufferBytes = 1 << 20
    private static let writebackBytes: UInt64 = 8 << 20

    init(_ path: String, in fileSystem: any FileSystem) throws(FileSystemError) {
        self.path = path
        file = try fileSystem.openFile(path, for: .create)
        buffer.reserveCapacity(Self.bufferBytes)
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
        if buffer.count + bytes.count > Self.bufferBytes { try flush() }
        buffer.append(contentsOf: bytes)
        position += UInt64(bytes.count)
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    func append(_ bytes: [UInt8]) throws(FileSystemError) {
        let result = bytes.withUnsafeBytes { buffer in Result { () throws(FileSystemError) in try append(buffer) } }
        try result.get()
    }

    func appendZeros(upTo end: UInt64) throws(FileSystemError) {
        while position < end { try append([UInt8](repeating: 0, count: Int(min(end - position, 64 << 10)))) }
    }

    /// Copies key, value and padding of a record, and checks that they have not changed since they were found.
    func appendPayload(of record: FoundRecord, from window: inout FileWindow) throws {
        var at = record.offset + UInt64(FormatConstants.recordHeaderSize)
        var crc: UInt32 = 0
        while at < record.end {
            let piece = Int(min(record.end - at, 256 << 10))
            let outcome = try window.withBytes(at: at, count: piece) { bytes in
                crc = CRC32C.checksum(bytes, continuing: crc)
                return Result { () throws(FileSystemError) in
                    try append(bytes)
                    return bytes.count
                }
            }
            guard try outcome.get() == piece else { break }
            at += UInt64(piece)
        }
        guard at == record.end, crc == record.header.payloadChecksum else {
            throw StoreError(
                .inputOutput,
                "a file changed while it was read: stop the program that writes to the store, or check the disk, "
                    + "and try again",
                file: window.file.path, offset: record.offset)
        }
    }

    private func flush() throws(FileSystemError) {
        let start = position - UInt64(buffer.count)
        let result = buffer.withUnsafeBytes { bytes in
            Result { () throws(FileSystemError) in try file.writeFully(bytes, at: start) }
        }
        try result.get()
        buffer.removeAll(keepingCapacity: true)
        let (before, now) = (start / Self.writebackBytes, position / Self.writebackBytes)
        if now > before {
            file.startWriteback(
                from: before * Self.writebackBytes, count: (now - before) * Self.writebackBytes, waiting: false)
        }
    }

    /// Makes the file durable and closes it.
    func finish() throws(FileSystemError) {
        try flush()
        try file.sync(.full)
        try file.close()
    }
}
