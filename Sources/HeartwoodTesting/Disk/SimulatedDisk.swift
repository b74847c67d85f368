public import HeartwoodFileSystem

/// A disk in memory that forgets like a real one when the power goes, fails like a real one when told to, and writes
/// down every call.
///
/// What is written is pending until a sync of that file returns. A crash before that keeps it, drops it, tears it at
/// sectors of 512 bytes, or applies it out of order; the size goes its own way. Entries of a directory (files made,
/// renamed, removed) are pending until the directory is synced. A failed sync drops what was pending: readers still see
/// it, the disk never gets it, and the next sync succeeds, as on Linux. What a crash may leave is derived from the
/// trace: see ``DiskTrace/crashStates(in:limit:seed:)``.
///
/// ```swift
/// let disk = SimulatedDisk(seed: 7)
/// var configuration = Store.Configuration()
/// configuration.fileSystem = disk
/// let store = try await Store.open(at: "/store", configuration: configuration)
/// let sequence = try await store.put("key", "value")
/// disk.note(sequence)                                      // from here on it must survive
/// ```
///
/// Assumed, as Heartwood assumes it of real storage: a sector is written whole or not at all, and a rename is atomic.
/// There are no links and no permissions. Any number of threads may use it; its calls happen one after the other.
public final class SimulatedDisk: FileSystem {
    /// Files can't be larger than this, in bytes.
    public static let largestFile: UInt64 = 16 << 30

    struct State {
        var disk: DiskState
        var trace: DiskTrace
        var faults: [(fault: Fault, seen: Int)] = []
        var randomFaults: RandomFaults?
        var random: SeededRandom
        var faultRandom: SeededRandom
        var injected: [DiskCall] = []
        var locked: Set<DiskState.Node> = []
        /// How many handles there are of each open file.
        var opened: [DiskState.Node: Int] = [:]
        var capacity: UInt64 = .max
        var isTracing = true
        var allowsMapping = true
        var observer: (@Sendable (FileSystemError.Operation, String) -> Void)?
    }

    let state: Locked<State>

    /// A disk.
    ///
    /// - Parameters:
    ///   - image: What is on it, durably.
    ///   - seed: Of the random numbers that it gives, and of random faults.
    public init(image: DiskImage = DiskImage(), seed: UInt64 = 0) {
        let disk = DiskState(image)
        state = Locked(
            State(
                disk: disk, trace: DiskTrace(start: disk), random: SeededRandom(seed, 1),
                faultRandom: SeededRandom(seed, 2)))
    }

    // MARK: - For the test

    /// What happened so far. Cheap.
    public var trace: DiskTrace { state.withLock { $0.trace } }

    /// What the disk's users see now: what is left when a process dies and the system lives on.
    public var image: DiskImage { state.withLock { $0.disk.image } }

    /// What a crash at this moment leaves on the disk, which itself goes on undisturbed. O(events).
    ///
    /// ```swift
    /// let next = SimulatedDisk(image: disk.crash().image)
    /// ```
    public func crash(losing losses: CrashState.Losses = .everything) -> Crash {
        let trace = trace
        return trace.crash(CrashState(events: trace.events.count, losses: losses))
    }

    /// Writes something down between the calls, such as an acknowledgement.
    public func note(_ note: some Sendable) {
        state.withLock { state in
            if state.isTracing { state.trace.events.append(.note(note)) }
        }
    }

    /// Lets calls fail, beside those that fail already.
    public func inject(_ fault: Fault) { state.withLock { $0.faults.append((fault, 0)) } }

    /// Lets calls fail by chance.
    public func inject(_ faults: RandomFaults) { state.withLock { $0.randomFaults = faults } }

    /// Ends all failures. What they have dropped stays dropped.
    public func heal() {
        state.withLock { state in
            state.faults = []
            state.randomFaults = nil
        }
    }

    /// The calls that failed or fell short because they were told to.
    public var injected: [DiskCall] { state.withLock { $0.injected } }

    /// How many bytes files may take, in blocks of 4 KiB; `.max` by default. Beyond it there is `ENOSPC`, after a write
    /// that falls short where some of it still fits. A file that was removed takes room for as long as it is open.
    public var capacity: UInt64 {
        get { state.withLock { $0.capacity } }
        set { state.withLock { $0.capacity = newValue } }
    }

    /// What `capacity` leaves. Not a call: it isn't counted or written down.
    public func availableBytes(at path: String) -> UInt64? {
        state.withLock { state in
            guard state.capacity != .max else { return nil }
            let blocks = Set(state.disk.linkedFiles).union(state.opened.keys).map { state.disk.files[$0]!.blocks }
            let used = blocks.reduce(UInt64(0)) { $0 + UInt64($1.count) * UInt64($1.blockSize) }
            return state.capacity - min(state.capacity, used)
        }
    }

    /// Whether somebody holds the lock of a file. Not a call: it isn't counted or written down.
    public func isLocked(_ path: String) -> Bool {
        state.withLock { state in
            guard let node = try? state.disk.resolve(path, for: .lock).node else { return false }
            return state.locked.contains(node)
        }
    }

    /// Stops writing down what happens, to save memory: no crash can be derived from then on.
    public func stopTracing() { state.withLock { $0.isTracing = false } }

    /// Whether files can be written to as memory, as on ext4, XFS and tmpfs; true by default. A store to such memory is
    /// written down like a call (`.store`), and a crash may tear or drop it like a write.
    public var allowsMapping: Bool {
        get { state.withLock { $0.allowsMapping } }
        set { state.withLock { $0.allowsMapping = newValue } }
    }

    /// Calls `observer` before each call, on its thread. It may use the disk's notes, and whatever doesn't wait for
    /// this disk; at a `.store`, nothing of the store that makes it. The disk keeps it: let it capture the disk weakly.
    public func observe(_ observer: @escaping @Sendable (FileSystemError.Operation, String) -> Void) {
        state.withLock { $0.observer = observer }
    }

    // MARK: - FileSystem

    /// Opens a file. See `FileSystem.openFile(_:for:)`.
    public func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        let node = try perform(.open, path) { state throws(FileSystemError) in
            let place = try state.disk.resolve(path, for: .open)
            guard access == .create else { return Outcome(try place.file()) }
            return try Self.create(place, in: state)
        } then: { state, node in
            state.opened[node, default: 0] += 1
        }
        return SimulatedFile(path: path, node: node, isWritable: access != .read, disk: self)
    }

    /// Gives a file or directory another name. See `FileSystem.rename(_:to:)`.
    public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        try perform(.rename, path) { state throws(FileSystemError) in
            let source = try state.disk.resolve(path, for: .rename)
            let target = try state.disk.resolve(newPath, for: .rename)
            guard let (name, newName) = try state.disk.checkRename(source, target) else { return Outcome(()) }
            return Outcome((), .rename(source.parent, name, to: target.parent, newName))
        }
    }

    /// Removes a file or an empty directory. See `FileSystem.remove(_:)`.
    public func remove(_ path: String) throws(FileSystemError) {
        try perform(.remove, path) { state throws(FileSystemError) in
            let place = try state.disk.resolve(path, for: .remove)
            guard let node = place.node else { throw place.error(ErrorNumber.ENOENT) }
            guard let name = place.name else { throw place.error(ErrorNumber.EBUSY) }
            if let directory = state.disk.directories[node], !directory.entries.isEmpty {
                throw place.error(ErrorNumber.ENOTEMPTY)
            }
            return Outcome((), .remove(place.parent, name))
        }
    }

    /// The names in a directory. See `FileSystem.contents(ofDirectory:)`.
    public func contents(ofDirectory path: String) throws(FileSystemError) -> [String] {
        try perform(.list, path) { state throws(FileSystemError) in
            let node = try state.disk.resolve(path, for: .list).directory()
            return Outcome(state.disk.directories[node]!.entries.keys.sorted())
        }
    }

    /// Makes a directory. See `FileSystem.createDirectory(_:)`.
    public func createDirectory(_ path: String) throws(FileSystemError) {
        try perform(.createDirectory, path) { state throws(FileSystemError) in
            let place = try state.disk.resolve(path, for: .createDirectory)
            guard place.node == nil, let name = place.name else { throw place.error(ErrorNumber.EEXIST) }
            return Outcome((), .createDirectory(state.disk.nextNode, in: place.parent, name))
        }
    }

    /// Makes the entries of a directory durable. See `FileSystem.syncDirectory(_:)`.
    public func syncDirectory(_ path: String) throws(FileSystemError) {
        try perform(.syncDirectory, path) { state throws(FileSystemError) in
            Outcome((), .syncDirectory(try state.disk.resolve(path, for: .syncDirectory).directory()))
        }
    }

    /// What is there. See `FileSystem.kind(of:)`.
    public func kind(of path: String) throws(FileSystemError) -> FileKind? {
        try perform(.status, path) { state throws(FileSystemError) -> Outcome<FileKind?> in
            let place: DiskPlace
            do throws(FileSystemError) {
                place = try state.disk.resolve(path, for: .status)
            } catch {
                guard error.isNotFound else { throw error }
                return Outcome(nil)
            }
            guard let node = place.node else { return Outcome(nil) }
            return Outcome(state.disk.directories[node] == nil ? .file : .directory)
        }
    }

    /// Takes the lock of a file, against other users of this object. See `FileSystem.lock(_:)`.
    public func lock(_ path: String) throws(FileSystemError) -> any FileLock {
        let node = try perform(.lock, path) { state throws(FileSystemError) in
            let place = try state.disk.resolve(path, for: .lock)
            guard place.node != nil else { return try Self.create(place, in: state) }
            let node = try place.file()
            guard !state.locked.contains(node) else {
                var error = FileSystemError(
                    operation: .lock, path: path, code: ErrorNumber.EWOULDBLOCK,
                    lockHolder: LockFileText.holder(in: state.disk.files[node]!.cache.bytes))
                error.isLockedByThisProcess = true
                throw error
            }
            return Outcome(node)
        } then: { state, node in
            state.locked.insert(node)
            state.disk.showLock(node)
        }
        return SimulatedLock(node, of: self)
    }

    /// A random number that follows from the seed.
    public func randomUInt64() -> UInt64 { state.withLock { $0.random.next() } }

    private static func create(
        _ place: DiskPlace, in state: State
    ) throws(FileSystemError) -> Outcome<DiskState.Node> {
        guard place.node == nil, let name = place.name else { throw place.error(ErrorNumber.EEXIST) }
        guard !place.mustBeDirectory else { throw place.error(ErrorNumber.EISDIR) }
        let node = state.disk.nextNode
        return Outcome(node, .createFile(node, in: place.parent, name))
    }
}

/// A lock of a ``SimulatedDisk``.
final class SimulatedLock: FileLock {
    private let node: Locked<DiskState.Node?>
    private let disk: SimulatedDisk

    init(_ node: DiskState.Node, of disk: SimulatedDisk) {
        self.node = Locked(node)
        self.disk = disk
    }

    deinit { unlock() }

    func unlock() {
        let held = node.withLock { node -> DiskState.Node? in
            defer { node = nil }
            return node
        }
        if let held { _ = disk.state.withLock { $0.locked.remove(held) } }
    }
}
