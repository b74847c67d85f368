import HeartwoodFileSystem
import Synchronization

/// A part of one file isn't there yet, and is when the file's size has been asked for so many times and once more.
final class LateFileSystem: FileSystem {
    private let base: InMemoryFileSystem
    private let path: String
    private let late: Range<Int>
    private let sizes: Int
    private let early = Atomic<Bool>(false)

    init(_ base: InMemoryFileSystem, path: String, late: Range<Int>, sizes: Int) {
        self.base = base
        self.path = path
        self.late = late
        self.sizes = sizes
    }

    /// Whether the part was read before it was there.
    var wasEarly: Bool { early.load(ordering: .relaxed) }

    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        let file = try base.openFile(path, for: access)
        return path == self.path ? LateFile(file, self) : file
    }

    func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }
    func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
    func contents(ofDirectory path: String) throws(FileSystemError) -> [String] { try base.contents(ofDirectory: path) }
    func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(path) }
    func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(path) }
    func kind(of path: String) throws(FileSystemError) -> FileKind? { try base.kind(of: path) }
    func lock(_ path: String) throws(FileSystemError) -> any FileLock { try base.lock(path) }

    private final class LateFile: File {
        private let base: any File
        private let fileSystem: LateFileSystem
        private let asked = Atomic<Int>(0)

        init(_ base: any File, _ fileSystem: LateFileSystem) {
            self.base = base
            self.fileSystem = fileSystem
        }

        var path: String { base.path }

        func size() throws(FileSystemError) -> UInt64 {
            asked.add(1, ordering: .relaxed)
            return try base.size()
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
            let count = try base.read(into: buffer, at: offset)
            guard asked.load(ordering: .relaxed) <= fileSystem.sizes else { return count }
            for index in 0..<count where fileSystem.late.contains(Int(offset) + index) {
                fileSystem.early.store(true, ordering: .relaxed)
                // The header is there, and what follows it isn't.
                if Int(offset) + index >= fileSystem.late.lowerBound + 48 { buffer[index] = 0 }
            }
            return count
        }

        func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
            try base.write(bytes, at: offset)
        }
        func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError) {
            try base.allocate(count, at: offset)
        }
        func truncate(to size: UInt64) throws(FileSystemError) { try base.truncate(to: size) }
        func sync(_ kind: SyncKind) throws(FileSystemError) { try base.sync(kind) }
        func close() throws(FileSystemError) { try base.close() }
    }
}
