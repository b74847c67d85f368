internal import HeartwoodConcurrency
internal import Synchronization

/// The bytes of a file in memory. They live while the file has a name or is open.
///
/// One lock guards them, also for readers: a copy takes less time than a read-write lock would save.
typealias MemoryContents = Locked<MemoryBytes>

struct MemoryBytes {
    var bytes = PagedBytes()
    private var isLocked = false

    /// Takes the lock unless it is held, and writes the holder into the file.
    mutating func tryLock() -> Bool {
        guard !isLocked else { return false }
        isLocked = true
        bytes = PagedBytes(LockFileText.own)
        return true
    }

    mutating func unlock() { isLocked = false }
}

/// An open file of an ``InMemoryFileSystem``.
final class MemoryFile: File {
    let path: String
    private let node: Int
    private let contents: MemoryContents
    private let isWritable: Bool
    private let fileSystem: InMemoryFileSystem
    private let isClosed = Atomic<Bool>(false)

    init(path: String, node: Int, contents: MemoryContents, isWritable: Bool, of fileSystem: InMemoryFileSystem) {
        self.path = path
        self.node = node
        self.contents = contents
        self.isWritable = isWritable
        self.fileSystem = fileSystem
    }

    func size() throws(FileSystemError) -> UInt64 {
        try checkOpen(.status)
        return contents.withLock { $0.bytes.size }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try checkOpen(.read)
        try checkOffset(offset, .read)
        return contents.withLock { $0.bytes.read(into: buffer, at: offset) }
    }

    func readNow(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int? {
        try read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try checkWritable(.write, ErrorNumber.EBADF)
        try checkOffset(offset, .write)
        try checkEnd(offset, UInt64(bytes.count), .write)
        contents.withLock { $0.bytes.write(bytes, at: offset) }
        return bytes.count
    }

    func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError) {
        try checkWritable(.allocate, ErrorNumber.EBADF)
        guard count > 0 else { throw error(.allocate, ErrorNumber.EINVAL) }
        try checkEnd(offset, count, .allocate)
        contents.withLock { if offset + count > $0.bytes.size { $0.bytes.resize(to: offset + count) } }
    }

    func truncate(to size: UInt64) throws(FileSystemError) {
        try checkWritable(.truncate, ErrorNumber.EINVAL)
        try checkOffset(size, .truncate)
        contents.withLock { $0.bytes.resize(to: size) }
    }

    func sync(_ kind: SyncKind) throws(FileSystemError) {
        try checkOpen(.sync)
    }

    func isLinked() throws(FileSystemError) -> Bool {
        try checkOpen(.status)
        return fileSystem.tree.withLock { $0.path(of: node) != nil }
    }

    func isAt(_ path: String) throws(FileSystemError) -> Bool {
        try checkOpen(.status)
        return try fileSystem.tree.withLock { tree throws(FileSystemError) in try tree.node(at: path) == node }
    }

    func nextData(from offset: UInt64) throws(FileSystemError) -> Range<UInt64>? {
        try checkOpen(.read)
        try checkOffset(offset, .read)
        return contents.withLock { $0.bytes.nextData(from: offset) }
    }

    func close() throws(FileSystemError) {
        isClosed.store(true, ordering: .releasing)
    }

    private func checkOpen(_ operation: FileSystemError.Operation) throws(FileSystemError) {
        guard !isClosed.load(ordering: .acquiring) else { throw error(operation, ErrorNumber.EBADF) }
    }

    private func checkWritable(_ operation: FileSystemError.Operation, _ code: Int32) throws(FileSystemError) {
        try checkOpen(operation)
        guard isWritable else { throw error(operation, code) }
    }
}

extension File {
    /// Refuses what a real system can't represent: its offsets are signed.
    package func checkOffset(_ offset: UInt64, _ operation: FileSystemError.Operation) throws(FileSystemError) {
        guard offset <= UInt64(Int64.max) else { throw error(operation, ErrorNumber.EINVAL) }
    }

    /// Refuses a file that would end beyond `limit`.
    package func checkEnd(
        _ offset: UInt64, _ count: UInt64, _ operation: FileSystemError.Operation, limit: UInt64 = UInt64(Int64.max)
    ) throws(FileSystemError) {
        let (end, overflow) = offset.addingReportingOverflow(count)
        guard !overflow, end <= limit else { throw error(operation, ErrorNumber.EFBIG) }
    }

    package func error(_ operation: FileSystemError.Operation, _ code: Int32) -> FileSystemError {
        FileSystemError(operation: operation, path: path, code: code)
    }
}

/// A lock of an ``InMemoryFileSystem``.
final class MemoryFileLock: FileLock {
    private let contents: MemoryContents
    private let isHeld = Atomic<Bool>(true)

    init(_ contents: MemoryContents) { self.contents = contents }

    deinit { unlock() }

    func unlock() {
        if isHeld.exchange(false, ordering: .acquiringAndReleasing) { contents.withLock { $0.unlock() } }
    }
}
