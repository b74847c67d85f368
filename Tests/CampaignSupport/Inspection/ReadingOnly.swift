package import HeartwoodFileSystem
internal import Synchronization

/// A file system that lets nobody do more than read: no lock, no sync, no change of any sort.
///
/// What is refused is counted, for code that goes on in spite of it.
package final class ReadingOnly: FileSystem {
    private let base: any FileSystem
    private let refusals = Atomic<Int>(0)
    /// EROFS, by number, as the tests of this know no C library.
    private static let readOnly: Int32 = 30

    package init(_ base: any FileSystem) { self.base = base }

    /// How often somebody has tried.
    package var refused: Int { refusals.load(ordering: .relaxed) }

    private func refusal(_ operation: FileSystemError.Operation, _ path: String) -> FileSystemError {
        refusals.add(1, ordering: .relaxed)
        return FileSystemError(operation: operation, path: path, code: Self.readOnly)
    }

    package func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        guard access == .read else { throw refusal(.open, path) }
        return ReadFile(try base.openFile(path, for: .read), self)
    }

    package func rename(_ path: String, to newPath: String) throws(FileSystemError) { throw refusal(.rename, path) }
    package func remove(_ path: String) throws(FileSystemError) { throw refusal(.remove, path) }
    package func createDirectory(_ path: String) throws(FileSystemError) { throw refusal(.createDirectory, path) }
    package func syncDirectory(_ path: String) throws(FileSystemError) { throw refusal(.syncDirectory, path) }
    package func lock(_ path: String) throws(FileSystemError) -> any FileLock { throw refusal(.lock, path) }

    package func contents(ofDirectory path: String) throws(FileSystemError) -> [String] {
        try base.contents(ofDirectory: path)
    }

    package func kind(of path: String) throws(FileSystemError) -> FileKind? { try base.kind(of: path) }

    private final class ReadFile: File {
        private let file: any File
        private let owner: ReadingOnly

        init(_ file: any File, _ owner: ReadingOnly) {
            self.file = file
            self.owner = owner
        }

        var path: String { file.path }
        func size() throws(FileSystemError) -> UInt64 { try file.size() }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
            try file.read(into: buffer, at: offset)
        }

        func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
            throw owner.refusal(.write, path)
        }

        func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError) {
            throw owner.refusal(.allocate, path)
        }
        func truncate(to size: UInt64) throws(FileSystemError) { throw owner.refusal(.truncate, path) }
        func sync(_ kind: SyncKind) throws(FileSystemError) { throw owner.refusal(.sync, path) }
        func close() throws(FileSystemError) { try file.close() }
    }
}
