package import HeartwoodFileSystem
internal import Synchronization

/// A file system that refuses everything except reading, and counts the refusals.
package final class ReadingOnly: ForwardingFileSystem {
    package let base: any FileSystem
    private let refusals = Atomic<Int>(0)
    private static let EROFS: Int32 = 30

    package init(_ base: any FileSystem) { self.base = base }

    var refused: Int { refusals.load(ordering: .relaxed) }

    private func refusal(_ operation: FileSystemError.Operation, _ path: String) -> FileSystemError {
        refusals.add(1, ordering: .relaxed)
        return FileSystemError(operation: operation, path: path, code: Self.EROFS)
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

    private final class ReadFile: ForwardingFile {
        let base: any File
        private let owner: ReadingOnly

        init(_ base: any File, _ owner: ReadingOnly) { (self.base, self.owner) = (base, owner) }

        func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
            throw owner.refusal(.write, path)
        }

        func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError) {
            throw owner.refusal(.allocate, path)
        }

        func truncate(to size: UInt64) throws(FileSystemError) { throw owner.refusal(.truncate, path) }
        func sync(_ kind: SyncKind) throws(FileSystemError) { throw owner.refusal(.sync, path) }
    }
}
