internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// A segment in memory. Nothing after a lent piece can be read, and a request for more than the largest piece ends the
/// process.
struct GuardedSource: SegmentBytes {
    typealias Failure = Never

    let bytes: [UInt8]
    let workspace: Workspace

    var count: UInt64 { UInt64(bytes.count) }

    mutating func withBytes<R>(at offset: UInt64, count wanted: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        require((0...(256 << 10)).contains(wanted), "a request for \(wanted) bytes")
        let start = Int(min(offset, count))
        let end = min(start + wanted, bytes.count)
        return bytes.withUnsafeBytes { workspace.guarded(UnsafeRawBufferPointer(rebasing: $0[start..<end]), body) }
    }
}

/// A file of an array. Writes must not change its contents.
final class FrozenFile: File {
    let path: String
    private let bytes: [UInt8]

    init(_ path: String, _ bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    func size() throws(FileSystemError) -> UInt64 { UInt64(bytes.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        let start = Int(min(offset, UInt64(bytes.count)))
        let count = min(buffer.count, bytes.count - start)
        bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + count)])) }
        return count
    }

    func write(_ new: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        require(
            offset <= UInt64(bytes.count) && new.count <= bytes.count - Int(offset)
                && bytes[Int(offset)..<(Int(offset) + new.count)].elementsEqual(new),
            "an opening changed \(path) at \(offset)")
        return new.count
    }

    func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError) { violated("\(path) was extended") }
    func truncate(to size: UInt64) throws(FileSystemError) { violated("\(path) was truncated") }
    func sync(_ kind: SyncKind) throws(FileSystemError) {}
    func close() throws(FileSystemError) {}
}
