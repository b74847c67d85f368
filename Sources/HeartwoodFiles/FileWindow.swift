package import HeartwoodFileSystem
package import HeartwoodFormat

/// A file as the source of a scanner: a window that moves through the file.
package struct FileWindow: SegmentBytes {
    package typealias Failure = FileSystemError

    package let file: any File
    package let count: UInt64
    @usableFromInline
    package private(set) var start: UInt64 = 0
    private var bytes: [UInt8] = []
    /// Number of bytes in the buffer that are from the file.
    @usableFromInline
    package private(set) var length = 0
    private let size: Int
    /// How often bytes were read from the file.
    package private(set) var reads = 0
    /// The last known range of the file that may contain something other than zeros. Holes aren't remembered, because a
    /// writer may fill them.
    private var data: Range<UInt64> = 0..<0

    /// - Parameter size: How many bytes are read at a time, unless more are requested at once.
    package init(_ file: any File, size: Int = 1 << 20) throws(FileSystemError) {
        self.file = file
        self.size = size
        count = try file.size()
    }

    package mutating func withBytes<R>(
        at offset: UInt64, count wanted: Int, _ body: (UnsafeRawBufferPointer) -> R
    ) throws(FileSystemError) -> R {
        let available = Int(min(UInt64(wanted), count - min(count, offset)))
        if offset < start || offset + UInt64(available) > start + UInt64(length) {
            try fill(from: offset, atLeast: available)
        }
        let from = Int(offset - start)
        let to = min(from + available, length)
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[min(from, to)..<to])) }
    }

    /// Whether all of these bytes are in memory.
    @inlinable
    package func holds(_ offset: UInt64, _ count: Int) -> Bool {
        offset >= start && offset + UInt64(count) <= start + UInt64(length)
    }

    package mutating func nextData(from offset: UInt64) throws(FileSystemError) -> Range<UInt64>? {
        if !data.contains(offset) {
            guard offset < count, let next = try file.nextData(from: offset), next.lowerBound < count else {
                return nil
            }
            data = next.clamped(to: offset..<count)
        }
        return max(offset, data.lowerBound)..<data.upperBound
    }

    /// Gives back the memory, until bytes are asked for again.
    package mutating func release() { (bytes, length) = ([], 0) }

    private mutating func fill(from offset: UInt64, atLeast wanted: Int) throws(FileSystemError) {
        // Holes aren't read ahead.
        var wanted = wanted
        if wanted < size, let data = try nextData(from: offset), data.lowerBound == offset {
            wanted = max(wanted, Int(min(UInt64(size), data.upperBound - offset)))
        }
        if bytes.count < wanted { bytes = [UInt8](repeating: 0, count: wanted) }
        (start, length) = (offset, 0)
        reads += 1
        let file = self.file
        length = try bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(FileSystemError) in
                // Another process truncated the file. The missing bytes are no commit.
                try file.readFully(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
            }
        }.get()
    }
}

extension FileWindow {
    /// The offset of the first record header of a file that verifies, by its own checksum alone. O(existing bytes).
    package mutating func firstRecord(
        _ salt: UInt32, flags: RecordHeader.Flags = .known, from start: UInt64 = UInt64(FormatConstants.fileHeaderSize),
        to end: UInt64, where isWanted: (RecordHeader) -> Bool = { _ in true }
    ) throws(FileSystemError) -> UInt64? {
        try firstItem(
            from: start, to: end, headerBytes: FormatConstants.recordHeaderSize,
            glance: { RecordHeader.mayBegin($0, flags: flags) }
        ) { bytes, offset in
            let header = try? RecordHeader.decode(bytes, salt: salt, offset: offset, flags: flags)
            return header.map(isWanted) == true ? offset : nil
        }
    }
}
