import HeartwoodFileSystem

/// A file system that changes a bit of what is written to a file, at an offset, in silence.
final class RottingFileSystem: FileSystem {
    private let base: any FileSystem
    private let rots: @Sendable (String) -> Int?

    /// - Parameter rots: The offset at which a file of this path is changed.
    init(_ base: any FileSystem, _ rots: @escaping @Sendable (String) -> Int?) {
        self.base = base
        self.rots = rots
    }

    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        let file = try base.openFile(path, for: access)
        guard let offset = rots(path) else { return file }
        return RottingFile(file, offset)
    }
    func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }
    func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
    func contents(ofDirectory path: String) throws(FileSystemError) -> [String] { try base.contents(ofDirectory: path) }
    func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(path) }
    func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(path) }
    func kind(of path: String) throws(FileSystemError) -> FileKind? { try base.kind(of: path) }
    func lock(_ path: String) throws(FileSystemError) -> any FileLock { try base.lock(path) }
    func randomUInt64() -> UInt64 { base.randomUInt64() }
}

private final class RottingFile: File {
    private let base: any File
    private let offset: UInt64

    init(_ base: any File, _ offset: Int) {
        self.base = base
        self.offset = UInt64(offset)
    }

    var path: String { base.path }
    func size() throws(FileSystemError) -> UInt64 { try base.size() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try base.read(into: buffer, at: offset)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at start: UInt64) throws(FileSystemError) -> Int {
        guard (start..<start + UInt64(bytes.count)).contains(offset) else { return try base.write(bytes, at: start) }
        var changed = [UInt8](bytes)
        changed[Int(offset - start)] ^= 4
        return try changed.withUnsafeBytes { bytes in
            Result { () throws(FileSystemError) in try base.write(bytes, at: start) }
        }.get()
    }
    func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError) { try base.allocate(count, at: offset) }
    func truncate(to size: UInt64) throws(FileSystemError) { try base.truncate(to: size) }
    func sync(_ kind: SyncKind) throws(FileSystemError) { try base.sync(kind) }
    func close() throws(FileSystemError) { try base.close() }
}
