import Foundation
import HeartwoodCampaignSupport
import HeartwoodConcurrency
import HeartwoodFileSystem

/// A file system in memory with a limited capacity.
final class SmallFileSystem: ForwardingFileSystem {
    private struct State {
        var capacity: UInt64
        /// The size of each file, by its current path.
        var sizes: [String: UInt64] = [:]
        var used: UInt64 { sizes.values.reduce(0, +) }
    }

    let base: any FileSystem = InMemoryFileSystem()
    private let state: Locked<State>
    /// Whether a refused allocation takes the space that is left, as on ext4.
    let keepsPart: Bool

    init(bytes: UInt64, keepsPart: Bool = false) {
        state = Locked(State(capacity: bytes))
        self.keepsPart = keepsPart
    }

    var free: UInt64 { state.withLock { $0.capacity - $0.used } }

    func add(bytes: UInt64) { state.withLock { $0.capacity += bytes } }

    /// Lets a file grow up to `end`, or as far as the capacity allows.
    ///
    /// - Returns: The end up to which it may grow.
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
}

/// Writes take no further space: the engine writes only where it has allocated.
private final class SmallFile: ForwardingFile {
    let base: any File
    private let system: SmallFileSystem
    let path: String

    init(_ base: any File, _ system: SmallFileSystem, _ path: String) {
        self.base = base
        self.system = system
        self.path = path
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
}
