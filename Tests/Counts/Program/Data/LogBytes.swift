internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// A log file, read into memory for the scanner.
struct LogBytes: SegmentBytes {
    let bytes: [UInt8]

    var count: UInt64 { UInt64(bytes.count) }

    init(_ fileSystem: any FileSystem, _ path: String) throws {
        let file = try fileSystem.openFile(path, for: .read)
        var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
        let read = try bytes.withUnsafeMutableBytes { buffer in try file.readFully(into: buffer, at: 0) }
        self.bytes = Array(bytes.prefix(read))
    }

    func withBytes<R>(at offset: UInt64, count: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        bytes.withUnsafeBytes { buffer in
            let start = min(Int(offset), buffer.count)
            return body(UnsafeRawBufferPointer(rebasing: buffer[start..<min(start + count, buffer.count)]))
        }
    }
}
