package import HeartwoodFileSystem

/// A file system that forwards to another what a test doesn't implement itself.
///
/// Optional operations (free space, mappings, cache hints) aren't forwarded. They have their defaults.
package protocol ForwardingFileSystem: FileSystem {
    var base: any FileSystem { get }
}

extension ForwardingFileSystem {
    package func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        try base.openFile(path, for: access)
    }
    package func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        try base.rename(path, to: newPath)
    }
    package func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
    package func contents(ofDirectory path: String) throws(FileSystemError) -> [String] {
        try base.contents(ofDirectory: path)
    }
    package func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(path) }
    package func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(path) }
    package func kind(of path: String) throws(FileSystemError) -> FileKind? { try base.kind(of: path) }
    package func checkTrust(in path: String) throws(FileSystemError) { try base.checkTrust(in: path) }
    package func lock(_ path: String) throws(FileSystemError) -> any FileLock { try base.lock(path) }
    package func randomUInt64() -> UInt64 { base.randomUInt64() }
}

/// The same for a file.
package protocol ForwardingFile: File {
    var base: any File { get }
}

extension ForwardingFile {
    package var path: String { base.path }
    package func size() throws(FileSystemError) -> UInt64 { try base.size() }
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try base.read(into: buffer, at: offset)
    }
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try base.write(bytes, at: offset)
    }
    package func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError) {
        try base.allocate(count, at: offset)
    }
    package func truncate(to size: UInt64) throws(FileSystemError) { try base.truncate(to: size) }
    package func sync(_ kind: SyncKind) throws(FileSystemError) { try base.sync(kind) }
    package func isLinked() throws(FileSystemError) -> Bool { try base.isLinked() }
    package func isAt(_ path: String) throws(FileSystemError) -> Bool { try base.isAt(path) }
    package func close() throws(FileSystemError) { try base.close() }
}
