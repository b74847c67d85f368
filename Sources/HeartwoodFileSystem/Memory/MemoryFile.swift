#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif
internal import Synchronization

/// An open file of an ``InMemoryFileSystem``.
final class MemoryFile: File {
    let path: String
    private let contents: MemoryContents
    private let isWritable: Bool
    /// Finds the file at a path.
    private let find: @Sendable (String) throws(FileSystemError) -> MemoryContents?
    private let isClosed = Atomic<Bool>(false)

    init(
        path: String, contents: MemoryContents, isWritable: Bool,
        find: @escaping @Sendable (String) throws(FileSystemError) -> MemoryContents?
    ) {
        self.path = path
        self.contents = contents
        self.isWritable = isWritable
        self.find = find
    }

    func size() throws(FileSystemError) -> UInt64 {
        try checkOpen(.status)
        return contents.size
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try checkOpen(.read)
        try checkOffset(offset, .read)
        return contents.read(into: buffer, at: offset)
    }

    func readNow(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int? {
        try read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try checkOpen(.write)
        guard isWritable else { throw error(.write, EBADF) }
        try checkOffset(offset, .write)
        try checkEnd(offset, UInt64(bytes.count), .write)
        contents.write(bytes, at: offset)
        return bytes.count
    }

    func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError) {
        try checkOpen(.allocate)
        guard isWritable else { throw error(.allocate, EBADF) }
        guard count > 0 else { throw error(.allocate, EINVAL) }
        try checkEnd(offset, count, .allocate)
        contents.extend(to: offset + count)
    }

    func truncate(to size: UInt64) throws(FileSystemError) {
        try checkOpen(.truncate)
        guard isWritable else { throw error(.truncate, EINVAL) }
        try checkOffset(size, .truncate)
        contents.resize(to: size)
    }

    func sync(_ kind: SyncKind) throws(FileSystemError) {
        try checkOpen(.sync)
    }

    func isLinked() throws(FileSystemError) -> Bool {
        try checkOpen(.status)
        return contents.isLinked
    }

    func isAt(_ path: String) throws(FileSystemError) -> Bool {
        try checkOpen(.status)
        return try find(path) === contents
    }

    func nextData(from offset: UInt64) throws(FileSystemError) -> Range<UInt64>? {
        try checkOpen(.read)
        try checkOffset(offset, .read)
        return contents.nextData(from: offset)
    }

    func close() throws(FileSystemError) {
        isClosed.store(true, ordering: .releasing)
    }

    private func checkOpen(_ operation: FileSystemError.Operation) throws(FileSystemError) {
        guard !isClosed.load(ordering: .acquiring) else { throw error(operation, EBADF) }
    }

    /// Refuses what a real system can't represent: its offsets are signed.
    private func checkOffset(_ offset: UInt64, _ operation: FileSystemError.Operation) throws(FileSystemError) {
        guard offset <= UInt64(Int64.max) else { throw error(operation, EINVAL) }
    }

    private func checkEnd(
        _ offset: UInt64, _ count: UInt64, _ operation: FileSystemError.Operation
    ) throws(FileSystemError) {
        let (end, overflow) = offset.addingReportingOverflow(count)
        guard !overflow, end <= UInt64(Int64.max) else { throw error(operation, EFBIG) }
    }

    private func error(_ operation: FileSystemError.Operation, _ code: Int32) -> FileSystemError {
        FileSystemError(operation: operation, path: path, code: code)
    }
}

/// A lock of an ``InMemoryFileSystem``.
final class MemoryFileLock: FileLock {
    private let contents: MemoryContents
    private let isHeld = Atomic<Bool>(true)

    init(_ contents: MemoryContents) {
        self.contents = contents
    }

    deinit {
        unlock()
    }

    func unlock() {
        if isHeld.exchange(false, ordering: .acquiringAndReleasing) { contents.unlock() }
    }
}
