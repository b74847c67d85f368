internal import HeartwoodFileSystem
internal import Synchronization

/// The system's files, with a record of each long write and sync, which may have caused a stall of the store.
struct RecordingFileSystem: FileSystem {
    let calls: CallLog
    private let system = POSIXFileSystem()

    init(_ calls: CallLog) { self.calls = calls }

    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        RecordedFile(try system.openFile(path, for: access), calls)
    }

    func rename(_ path: String, to newPath: String) throws(FileSystemError) { try system.rename(path, to: newPath) }
    func remove(_ path: String) throws(FileSystemError) { try system.remove(path) }

    func contents(ofDirectory path: String) throws(FileSystemError) -> [String] {
        try system.contents(ofDirectory: path)
    }

    func createDirectory(_ path: String) throws(FileSystemError) { try system.createDirectory(path) }

    func syncDirectory(_ path: String) throws(FileSystemError) {
        try calls.recording { () throws(FileSystemError) in try system.syncDirectory(path) }
    }

    func kind(of path: String) throws(FileSystemError) -> FileKind? { try system.kind(of: path) }
    func lock(_ path: String) throws(FileSystemError) -> any HeartwoodFileSystem.FileLock { try system.lock(path) }
    func randomUInt64() -> UInt64 { system.randomUInt64() }
    func availableBytes(at path: String) -> UInt64? { system.availableBytes(at: path) }
}

/// A file whose writes and syncs are recorded.
private final class RecordedFile: File {
    private let file: any File
    private let calls: CallLog

    init(_ file: any File, _ calls: CallLog) {
        self.file = file
        self.calls = calls
    }

    var path: String { file.path }
    func size() throws(FileSystemError) -> UInt64 { try file.size() }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try file.read(into: buffer, at: offset)
    }

    func readNow(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int? {
        try file.readNow(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try calls.recording { () throws(FileSystemError) in try file.write(bytes, at: offset) }
    }

    func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError) {
        try file.allocate(count, at: offset)
    }

    func truncate(to size: UInt64) throws(FileSystemError) { try file.truncate(to: size) }

    func sync(_ kind: SyncKind) throws(FileSystemError) {
        try calls.recording { () throws(FileSystemError) in try file.sync(kind) }
    }

    func map(_ count: UInt64) throws(FileSystemError) -> (any FileMapping)? { try file.map(count) }

    func startWriteback(from offset: UInt64, count: UInt64, waiting: Bool) {
        file.startWriteback(from: offset, count: count, waiting: waiting)
    }

    func forgetCache() { file.forgetCache() }
    func isLinked() throws(FileSystemError) -> Bool { try file.isLinked() }
    func isAt(_ path: String) throws(FileSystemError) -> Bool { try file.isAt(path) }
    func close() throws(FileSystemError) { try file.close() }
}

/// The times of long writes and syncs.
final class CallLog: Sendable {
    /// Shorter calls aren't recorded, in nanoseconds.
    private static let shortest: UInt64 = 5_000_000

    private let calls = Mutex<[Range<UInt64>]>([])

    /// Calls `body`, and records the time if it is long, whether it throws or not.
    func recording<R>(_ body: () throws(FileSystemError) -> R) throws(FileSystemError) -> R {
        let start = Ticks.now
        defer {
            let end = Ticks.now
            if end - start > Self.shortest { calls.withLock { $0.append(start..<end) } }
        }
        return try body()
    }

    /// Whether a call that took at least as long as a stall overlaps it.
    func explains(_ stall: Stalls.Stall) -> Bool {
        calls.withLock { calls in
            calls.contains { UInt64($0.count) >= stall.length && $0.overlaps(stall.time) }
        }
    }
}
