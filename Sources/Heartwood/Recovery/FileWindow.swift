package import HeartwoodFileSystem
internal import HeartwoodFormat

/// A file as the scanner wants it: a window that moves along.
package struct FileWindow: SegmentBytes {
    package typealias Failure = FileSystemError

    package let file: any File
    package let count: UInt64
    private var start: UInt64 = 0
    private var bytes: [UInt8] = []
    private let size: Int

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
        if offset < start || offset + UInt64(available) > start + UInt64(bytes.count) {
            try fill(from: offset, atLeast: available)
        }
        let from = Int(offset - start)
        let to = min(from + available, bytes.count)
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[min(from, to)..<to])) }
    }

    /// The end of the last byte that isn't zero, or `start`. O(bytes).
    mutating func endOfNonZero(from start: UInt64) throws(FileSystemError) -> UInt64 {
        var last = start
        var at = start
        while at < count {
            let (read, nonZero) = try withBytes(at: at, count: 1 << 18) { bytes in
                (bytes.count, bytes.lastIndex { $0 != 0 })
            }
            guard read > 0 else { break }
            if let nonZero { last = at + UInt64(nonZero) + 1 }
            at += UInt64(read)
        }
        return last
    }

    private mutating func fill(from offset: UInt64, atLeast wanted: Int) throws(FileSystemError) {
        let length = Int(min(UInt64(max(size, wanted)), count - min(count, offset)))
        if bytes.count != length { bytes = [UInt8](repeating: 0, count: length) }
        start = offset
        let file = self.file
        let read = try bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(FileSystemError) in try file.readFully(into: buffer, at: offset) }
        }.get()
        // Shorter than its size said: somebody cut it under us. What isn't there is no commit.
        if read < length { bytes.removeLast(length - read) }
    }
}
