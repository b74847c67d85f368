package import HeartwoodFileSystem
internal import HeartwoodFormat

/// A file as the scanner wants it: a window that moves along.
package struct FileWindow: SegmentBytes {
    package typealias Failure = FileSystemError

    package let file: any File
    package let count: UInt64
    private var start: UInt64 = 0
    private var bytes: [UInt8] = []
    /// How many of the bytes are the file's.
    private var length = 0
    private let size: Int
    /// The part of the file that was found last that may hold something other than zeros. Holes aren't remembered: a
    /// writer may fill them.
    private var data: Range<UInt64> = 0..<0

    /// - Parameter size: Bytes that are read at a time; more only where more is asked for at once.
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

    package mutating func nextData(from offset: UInt64) throws(FileSystemError) -> Range<UInt64>? {
        if !data.contains(offset) {
            guard offset < count, let next = try file.nextData(from: offset), next.lowerBound < count else {
                return nil
            }
            data = next.clamped(to: offset..<count)
        }
        return max(offset, data.lowerBound)..<data.upperBound
    }

    private mutating func fill(from offset: UInt64, atLeast wanted: Int) throws(FileSystemError) {
        // Nothing of a hole is read ahead.
        var wanted = wanted
        if wanted < size, let data = try nextData(from: offset), data.lowerBound == offset {
            wanted = max(wanted, Int(min(UInt64(size), data.upperBound - offset)))
        }
        if bytes.count < wanted { bytes = [UInt8](repeating: 0, count: wanted) }
        (start, length) = (offset, 0)
        let file = self.file
        length = try bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(FileSystemError) in
                // Shorter than its size said: somebody cut it under us. What isn't there is no commit.
                try file.readFully(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
            }
        }.get()
    }
}
