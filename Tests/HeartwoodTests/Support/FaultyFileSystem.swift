import HeartwoodConcurrency
import HeartwoodFileSystem
import Synchronization

/// A file system that forwards to another and fails the calls that a test picks. For the engine's failure states:
/// `SimulatedDisk` also loses data.
final class FaultyFileSystem: FileSystem {
    struct Call: Sendable {
        var operation: FileSystemError.Operation
        var path: String
        /// The number of this call among those of its operation, from 1.
        var count: Int
    }
    typealias Rule = @Sendable (Call) -> Int32?

    private struct State {
        var rule: Rule = { _ in nil }
        var counts: [FileSystemError.Operation: Int] = [:]
        var log: [Call] = []
        var hook: (@Sendable (FileSystemError.Operation) -> Void)?
    }

    let base: any FileSystem
    private let state = Locked(State())
    private let gate = ConditionLock(false)

    init(_ base: any FileSystem) { self.base = base }

    /// Fails the calls for which the rule returns an error number. Counts start again.
    func fail(_ rule: @escaping Rule) {
        state.withLock {
            $0.rule = rule
            $0.counts = [:]
            $0.log = []
        }
    }

    /// Until `heal`, calls `body` before each call, on the calling thread, with nothing locked.
    func beforeEach(_ body: @escaping @Sendable (FileSystemError.Operation) -> Void) {
        state.withLock { $0.hook = body }
    }

    /// Blocks every sync of a file until `releaseSyncs`.
    func holdSyncs() { gate.withState { $0 = true } }

    func releaseSyncs() {
        gate.withState { $0 = false }
        gate.broadcast()
    }

    func heal() {
        state.withLock { $0.hook = nil }
        fail { _ in nil }
    }

    /// The calls since the rule was set.
    var calls: [Call] { state.withLock { $0.log } }

    func check(_ operation: FileSystemError.Operation, _ path: String) throws(FileSystemError) {
        if let hook = state.withLock({ $0.hook }) { hook(operation) }
        let code = state.withLock { state -> Int32? in
            let count = (state.counts[operation] ?? 0) + 1
            state.counts[operation] = count
            let call = Call(operation: operation, path: path, count: count)
            state.log.append(call)
            return state.rule(call)
        }
        if let code { throw FileSystemError(operation: operation, path: path, code: code) }
    }

    func waitForRelease() {
        gate.withLock { held in
            while held.state { held.wait() }
        }
    }

    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        try check(.open, path)
        return FaultyFile(try base.openFile(path, for: access), self)
    }
    func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        try check(.rename, path)
        try base.rename(path, to: newPath)
    }
    func remove(_ path: String) throws(FileSystemError) {
        try check(.remove, path)
        try base.remove(path)
    }
    func contents(ofDirectory path: String) throws(FileSystemError) -> [String] {
        try check(.list, path)
        return try base.contents(ofDirectory: path)
    }
    func createDirectory(_ path: String) throws(FileSystemError) {
        try check(.createDirectory, path)
        try base.createDirectory(path)
    }
    func syncDirectory(_ path: String) throws(FileSystemError) {
        try check(.syncDirectory, path)
        try base.syncDirectory(path)
    }
    func kind(of path: String) throws(FileSystemError) -> FileKind? {
        try check(.status, path)
        return try base.kind(of: path)
    }
    func lock(_ path: String) throws(FileSystemError) -> any FileLock {
        try check(.lock, path)
        return try base.lock(path)
    }
}

final class FaultyFile: File {
    private let base: any File
    private let system: FaultyFileSystem
    var path: String { base.path }

    init(_ base: any File, _ system: FaultyFileSystem) {
        self.base = base
        self.system = system
    }

    func size() throws(FileSystemError) -> UInt64 {
        try system.check(.status, path)
        return try base.size()
    }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try system.check(.read, path)
        return try base.read(into: buffer, at: offset)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try system.check(.write, path)
        return try base.write(bytes, at: offset)
    }
    func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError) {
        try system.check(.allocate, path)
        try base.allocate(count, at: offset)
    }
    func truncate(to size: UInt64) throws(FileSystemError) {
        try system.check(.truncate, path)
        try base.truncate(to: size)
    }
    func sync(_ kind: SyncKind) throws(FileSystemError) {
        system.waitForRelease()
        try system.check(.sync, path)
        try base.sync(kind)
    }
    func isLinked() throws(FileSystemError) -> Bool {
        try system.check(.status, path)
        return try base.isLinked()
    }
    func isAt(_ path: String) throws(FileSystemError) -> Bool {
        try system.check(.status, path)
        return try base.isAt(path)
    }
    func close() throws(FileSystemError) {
        try system.check(.close, path)
        try base.close()
    }
}
