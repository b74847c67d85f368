import Heartwood
import HeartwoodFileSystem
import Synchronization

/// The operating system's files, with random numbers that are the same each time.
final class FixedFileSystem: FileSystem {
    private let base = POSIXFileSystem()
    private let numbers: [UInt64]
    private let drawn = Atomic(0)

    /// - Parameter numbers: What is drawn, in this order: of a new store two for its id, then one for each salt. More
    ///   are made from the last.
    init(_ numbers: [UInt64]) { self.numbers = numbers }

    func randomUInt64() -> UInt64 {
        let count = drawn.add(1, ordering: .relaxed).oldValue
        if count < numbers.count { return numbers[count] }
        return numbers.last! &+ UInt64(count - numbers.count + 1) &* 0x9E37_79B9
    }

    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        try base.openFile(path, for: access)
    }
    func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }
    func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
    func contents(ofDirectory path: String) throws(FileSystemError) -> [String] {
        try base.contents(ofDirectory: path)
    }
    func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(path) }
    func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(path) }
    func kind(of path: String) throws(FileSystemError) -> FileKind? { try base.kind(of: path) }
    func lock(_ path: String) throws(FileSystemError) -> any FileLock { try base.lock(path) }
}

/// A clock that stands still.
struct FixedClock: StoreClock {
    /// 14 November 2023, 22:13:20 UTC.
    static let golden = FixedClock(milliseconds: 1_700_000_000_000)

    var milliseconds: UInt64
    func now() -> Timestamp { Timestamp(milliseconds: milliseconds) }
}
