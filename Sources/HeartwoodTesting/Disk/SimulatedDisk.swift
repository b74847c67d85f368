internal import HeartwoodConcurrency
public import HeartwoodFileSystem

/// A disk in memory that simulates power loss and errors of a real disk, and records every call.
///
/// What is written is pending until a sync of that file returns. A crash before that may keep a pending write, drop it,
/// tear it at sectors of 512 bytes, or apply it out of order. The size is kept or lost independently. Entries of a
/// directory (files created, renamed, removed) are pending until the directory is synced. A failed sync drops the
/// pending writes: readers still see them, the disk never gets them, and the next sync succeeds, as on Linux. What a
/// crash may leave is derived from the calls: see ``CrashTest``.
///
/// ```swift
/// let disk = SimulatedDisk(seed: 7)
/// var configuration = Store.Configuration()
/// configuration.storage = disk.storage
/// let store = try await Store.open(at: "/store", configuration: configuration)
/// let sequence = try await store.put("key", "value")
/// disk.note(sequence)                                      // from here on it must survive
/// ```
///
/// Like Heartwood itself, it assumes two things of real storage: a sector is written completely or not at all, and a
/// rename is atomic. There are no links and no permissions. Any number of threads may use it; calls are carried out one
/// at a time.
public final class SimulatedDisk: Sendable {
    /// The largest size of a file, in bytes.
    package static let largestFile: UInt64 = 16 << 30

    struct State {
        var disk: DiskState
        var trace: DiskTrace
        var faults: [(fault: Fault, seen: Int)] = []
        var randomFaults: RandomFaults?
        var random: SeededRandom
        var faultRandom: SeededRandom
        var injected: [DiskCall] = []
        var locked: Set<DiskState.Node> = []
        /// How many handles each open file has.
        var opened: [DiskState.Node: Int] = [:]
        var capacity: UInt64 = .max
        var isTracing = true
        var allowsMapping = true
        var observer: (@Sendable (FileSystemError.Operation, String) -> Void)?
    }

    let state: Locked<State>

    /// A disk with this content.
    ///
    /// - Parameters:
    ///   - image: The durable content at the start.
    ///   - seed: The seed for the random numbers that it returns, and for random faults.
    public init(image: DiskImage = DiskImage(), seed: UInt64 = 0) {
        let disk = DiskState(image)
        state = Locked(
            State(
                disk: disk, trace: DiskTrace(start: disk), random: SeededRandom(seed, 1),
                faultRandom: SeededRandom(seed, 2)))
    }

    /// This disk, for the configuration of a store.
    public var storage: Storage { Storage(self) }

    // MARK: - For the test

    /// The events so far. O(1).
    package var trace: DiskTrace { state.withLock { $0.trace } }

    /// What the disk's users see now. A process that dies while the system keeps running leaves this content.
    public var image: DiskImage { state.withLock { $0.disk.image } }

    /// What a crash now would leave on the disk. The disk itself continues unchanged. O(events).
    ///
    /// ```swift
    /// let next = SimulatedDisk(image: disk.crash().image)
    /// ```
    public func crash(losing losses: CrashState.Losses = .everything) -> Crash {
        let trace = trace
        return trace.crash(CrashState(events: trace.events.count, losses: losses))
    }

    /// Records a note between the calls, such as an acknowledgement.
    public func note(_ note: some Sendable) {
        state.withLock { state in
            if state.isTracing { state.trace.events.append(.note(note)) }
        }
    }

    /// Injects a fault, in addition to those already injected.
    public func inject(_ fault: Fault) { state.withLock { $0.faults.append((fault, 0)) } }

    /// Injects random faults. Replaces the random faults set earlier.
    public func inject(_ faults: RandomFaults) { state.withLock { $0.randomFaults = faults } }

    /// Removes all faults. What they dropped stays dropped.
    public func heal() {
        state.withLock { state in
            state.faults = []
            state.randomFaults = nil
        }
    }

    /// The calls that failed or transferred less because of an injected fault.
    package var injected: [DiskCall] { state.withLock { $0.injected } }

    /// How many bytes the files may take, in blocks of 4 KiB; `.max` by default. Beyond it, calls fail with `ENOSPC`; a
    /// write of which a part still fits first writes that part. A removed file takes space until it is closed.
    public var capacity: UInt64 {
        get { state.withLock { $0.capacity } }
        set { state.withLock { $0.capacity = newValue } }
    }

    /// The bytes that `capacity` leaves; nil if it is `.max`. Not a call: it is neither counted nor recorded.
    package func availableBytes(at path: String) -> UInt64? {
        state.withLock { state in
            guard state.capacity != .max else { return nil }
            let blocks = Set(state.disk.linkedFiles).union(state.opened.keys).map { state.disk.files[$0]!.blocks }
            let used = blocks.reduce(UInt64(0)) { $0 + UInt64($1.count) * UInt64($1.blockSize) }
            return state.capacity - min(state.capacity, used)
        }
    }

    /// Whether the lock of a file is held. Not a call: it is neither counted nor recorded.
    package func isLocked(_ path: String) -> Bool {
        state.withLock { state in
            guard let node = try? state.disk.tree.resolve(path, for: .lock).node else { return false }
            return state.locked.contains(node)
        }
    }

    /// Stops recording, to save memory. From then on no crash can be derived.
    public func stopTracing() { state.withLock { $0.isTracing = false } }

    /// Whether files can be mapped as writable memory, as on ext4, XFS and tmpfs; true by default. A store to such
    /// memory is recorded like a call (`.store`), and a crash may tear or drop it like a write.
    package var allowsMapping: Bool {
        get { state.withLock { $0.allowsMapping } }
        set { state.withLock { $0.allowsMapping = newValue } }
    }

    /// Calls `observer` before each call, on the thread of the call. The observer may take notes on the disk, and do
    /// anything that does not wait for this disk. At a `.store` it must not use the store that makes it. The disk keeps
    /// the observer, so let it capture the disk weakly.
    public func observe(_ observer: @escaping @Sendable (FileOperation, String) -> Void) {
        state.withLock { $0.observer = observer }
    }

    // MARK: - FileSystem

    package func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        let node = try perform(.open, path) { state throws(FileSystemError) in
            let place = try state.disk.tree.resolve(path, for: .open)
            guard access == .create else { return Outcome(try place.file()) }
            return try Self.create(place, in: state)
        } then: { state, node in
            state.opened[node, default: 0] += 1
        }
        return SimulatedFile(path: path, node: node, isWritable: access != .read, disk: self)
    }

    package func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        try perform(.rename, path) { state throws(FileSystemError) in
            let source = try state.disk.tree.resolve(path, for: .rename)
            let target = try state.disk.tree.resolve(newPath, for: .rename)
            guard let (name, newName) = try state.disk.tree.checkRename(source, target) else { return Outcome(()) }
            return Outcome((), .rename(source.parent, name, to: target.parent, newName))
        }
    }

    package func remove(_ path: String) throws(FileSystemError) {
        try perform(.remove, path) { state throws(FileSystemError) in
            let place = try state.disk.tree.resolve(path, for: .remove)
            return Outcome((), .remove(place.parent, try state.disk.tree.checkRemoval(place)))
        }
    }

    package func contents(ofDirectory path: String) throws(FileSystemError) -> [String] {
        try perform(.list, path) { state throws(FileSystemError) in
            let node = try state.disk.tree.resolve(path, for: .list).directory()
            return Outcome(state.disk.tree.directories[node]!.keys.sorted())
        }
    }

    package func createDirectory(_ path: String) throws(FileSystemError) {
        try perform(.createDirectory, path) { state throws(FileSystemError) in
            let place = try state.disk.tree.resolve(path, for: .createDirectory)
            let name = try place.nameOfNewDirectory()
            return Outcome((), .createDirectory(state.disk.tree.nextNode, in: place.parent, name))
        }
    }

    package func syncDirectory(_ path: String) throws(FileSystemError) {
        try perform(.syncDirectory, path) { state throws(FileSystemError) in
            Outcome((), .syncDirectory(try state.disk.tree.resolve(path, for: .syncDirectory).directory()))
        }
    }

    package func kind(of path: String) throws(FileSystemError) -> FileKind? {
        try perform(.status, path) { state throws(FileSystemError) in Outcome(try state.disk.tree.kind(at: path)) }
    }

    package func lock(_ path: String) throws(FileSystemError) -> any FileLock {
        let node = try perform(.lock, path) { state throws(FileSystemError) in
            let place = try state.disk.tree.resolve(path, for: .lock)
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

    /// A random number from the seed.
    package func randomUInt64() -> UInt64 { state.withLock { $0.random.next() } }

    private static func create(
        _ place: FilePlace, in state: State
    ) throws(FileSystemError) -> Outcome<DiskState.Node> {
        let node = state.disk.tree.nextNode
        return Outcome(node, .createFile(node, in: place.parent, try place.nameOfNewFile()))
    }
}

extension SimulatedDisk: FileSystem {}

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
