import Foundation
import HeartwoodFileSystem

/// A file system in memory with room for so many bytes, and no more.
final class SmallFileSystem: FileSystem {
    private struct State {
        var capacity: UInt64
        /// What each file takes, by its present path.
        var sizes: [String: UInt64] = [:]
        var used: UInt64 { sizes.values.reduce(0, +) }
    }

    private let base = InMemoryFileSystem()
    private let state: Locked<State>
    /// Whether a refused allocation keeps what there was, as that of ext4 does.
    let keepsPart: Bool

    init(bytes: UInt64, keepsPart: Bool = false) {
        state = Locked(State(capacity: bytes))
        self.keepsPart = keepsPart
    }

    var free: UInt64 { state.withLock { $0.capacity - $0.used } }

    /// Makes it larger.
    func add(bytes: UInt64) { state.withLock { $0.capacity += bytes } }

    /// Lets a file grow up to `end`, or as far as there is room.
    ///
    /// - Returns: How far it may grow.
    fileprivate func grow(_ path: String, to end: UInt64) -> UInt64 {
        state.withLock { state in
            let size = state.sizes[path] ?? 0
            guard end > size else { return end }
            let grown = min(end, size + (state.capacity - state.used))
            if grown == end || keepsPart { state.sizes[path] = grown }
            return grown
        }
    }

    fileprivate func shrink(_ path: String, to size: UInt64) { state.withLock { $0.sizes[path] = size } }

    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        SmallFile(try base.openFile(path, for: access), self, path)
    }
    func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        try base.rename(path, to: newPath)
        state.withLock { $0.sizes[newPath] = $0.sizes.removeValue(forKey: path) }
    }
    func remove(_ path: String) throws(FileSystemError) {
        try base.remove(path)
        state.withLock { $0.sizes[path] = nil }
    }
    func contents(ofDirectory path: String) throws(FileSystemError) -> [String] {
        try base.contents(ofDirectory: path)
    }
    func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(path) }
    func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(path) }
    func kind(of path: String) throws(FileSystemError) -> FileKind? { try base.kind(of: path) }
    func lock(_ path: String) throws(FileSystemError) -> any FileLock { try base.lock(path) }
}

private final class SmallFile: File {
    private let base: any File
    private let system: SmallFileSystem
    let path: String

    init(_ base: any File, _ system: SmallFileSystem, _ path: String) {
        self.base = base
        self.system = system
        self.path = path
    }

    func size() throws(FileSystemError) -> UInt64 { try base.size() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try base.read(into: buffer, at: offset)
    }
    /// The engine writes where it has allocated: that takes no more room.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try base.write(bytes, at: offset)
    }
    func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError) {
        let grown = system.grow(path, to: offset + count)
        guard grown == offset + count else {
            if system.keepsPart, grown > offset { try base.allocate(grown - offset, at: offset) }
            throw FileSystemError(operation: .allocate, path: path, code: ENOSPC)
        }
        try base.allocate(count, at: offset)
    }
    func truncate(to size: UInt64) throws(FileSystemError) {
        try base.truncate(to: size)
        system.shrink(path, to: size)
    }
    func sync(_ kind: SyncKind) throws(FileSystemError) { try base.sync(kind) }
    func close() throws(FileSystemError) { try base.close() }
}
