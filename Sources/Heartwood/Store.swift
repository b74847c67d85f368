internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// An embedded, write-optimised, ordered key-value store: one directory, one process.
///
/// ```swift
/// let store = try await Store.open(at: "app.store")
/// try await store.put("user:1", bytes)            // on disk when it returns
/// let value = try store.get("user:1")             // no await: readers never queue behind writers
/// try await store.close()
/// ```
///
/// An actor within serialises writes: it checks conditions, gives each write its sequence number, appends it to the open
/// commit and adds it to the index, in one step without I/O and without suspension. A thread of its own writes and
/// syncs commits, each for all the writes of its moment. Reads take no lock.
///
/// Everything here is `nonisolated`. Methods that you isolate to the store in an extension run one at a time, as on any actor;
/// no write waits for them.
///
/// Writes are asynchronous and run on the caller's actor; ``blocking`` has them for code that isn't asynchronous. Reads are
/// synchronous; ``fetch(_:)`` and ``scan(_:reversed:)`` are the asynchronous ones.
///
/// A store that is dropped without `close()` behaves as after the death of the process: what was acknowledged is safe.
public actor Store {
    /// The directory.
    public nonisolated let path: String
    /// What the opening found.
    public nonisolated let recoveryReport: RecoveryReport
    nonisolated let log: Log
    nonisolated let encoder: RecordEncoder

    /// Opens a store, and makes it where there is none; blocks meanwhile. In asynchronous code use
    /// ``open(at:configuration:)``.
    ///
    /// - Parameters:
    ///   - path: The directory. One that begins with `~` is refused: only a shell replaces that by the home directory.
    ///   - configuration: How the store works.
    /// - Throws: `.locked`, `.notFound`, `.permission`, `.corruption`, `.tornTail`, `.unsupportedFormat`,
    ///   `.inputOutput`, `.tooManyFiles`, `.outOfSpace`, `.invalidArgument`. A store that can't be opened is left as
    ///   it was.
    /// - Complexity: O(bytes of log).
    public init(openingAt path: String, configuration: Configuration = Configuration()) throws(StoreError) {
        let configuration = try configuration.validated()
        let path = Self.withoutTrailingSlash(path)
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "the path of a store must be neither empty nor contain a zero byte")
        }
        guard !HomePath.isMeant(by: path) else { throw StoreError(.invalidArgument, HomePath.refusal, file: path) }
        let recovered = try RecoveredStore(path, configuration: configuration)
        let log = recovered.log
        do {
            try Self.startWriter(recovered)
        } catch {
            recovered.release()
            throw StoreError(
                .tooManyFiles, "the thread of the log writer could not be started: raise the limit of threads",
                cause: error)
        }
        self.path = path
        self.log = log
        recoveryReport = recovered.report
        encoder = RecordEncoder(log: log, deflaters: DeflaterPool(level: configuration.compression.level))
    }

    deinit {
        log.abandon()
    }

    /// Opens a store, and makes it where there is none, without blocking a thread of the cooperative pool.
    ///
    /// Cancellation doesn't interrupt it.
    ///
    /// - Throws: As ``init(openingAt:configuration:)``.
    public nonisolated(nonsending) static func open(
        at path: String, configuration: Configuration = Configuration()
    ) async throws(StoreError) -> Store {
        try await BlockingPool.run { () throws(StoreError) in
            try Store(openingAt: path, configuration: configuration)
        }
    }

    /// Opens a store, calls `body` with it, and closes it on every path.
    ///
    /// - Throws: What `body` throws, or else what the opening or the closing throws.
    @discardableResult
    public nonisolated(nonsending) static func withStore<R>(
        at path: String, configuration: Configuration = Configuration(),
        _ body: (Store) async throws -> R
    ) async throws -> R {
        let store = try await open(at: path, configuration: configuration)
        let result: R
        do {
            result = try await body(store)
        } catch {
            try? await store.close()
            throw error
        }
        try await store.close()
        return result
    }

    /// A new store in memory, which behaves as one on disk in everything but that it is gone with the process.
    ///
    /// - Parameter configuration: Its file system is replaced.
    public static func inMemory(configuration: Configuration = Configuration()) throws(StoreError) -> Store {
        var configuration = configuration
        configuration.fileSystem = InMemoryFileSystem()
        return try Store(openingAt: "/store", configuration: configuration)
    }

    /// Closes the store: syncs what was accepted, writes a closing mark, lets go of the files and the lock.
    ///
    /// Where short openings have left many small log segments it compacts them before; see ``CompactionPolicy``.
    ///
    /// May be called any number of times, by anybody; each call returns when it is done, with the same outcome. Calls
    /// that come after it throw `.closed`. Cancellation doesn't interrupt it.
    ///
    /// - Throws: `.inputOutput` and others when the last writes could not be brought to the disk, or files of the store
    ///   were removed or moved; `.failed` when an earlier failure kept them from it. It is closed all the same.
    public nonisolated(nonsending) func close() async throws(StoreError) {
        try await log.close()
    }

    /// What the store can do at the moment.
    public nonisolated var state: State { log.withState { $0.publicState } }

    private static func startWriter(_ recovered: RecoveredStore) throws {
        let log = recovered.log
        let lock = recovered.directory.lock
        let leftovers = recovered.directory.leftovers
        let superseded = recovered.outcome.superseded
        let storeID = recovered.outcome.storeID
        let predecessor = recovered.outcome.predecessor
        let keepsLog = recovered.directory.keepsLog
        _ = try startThread(name: "heartwood-log") {
            var writer = LogWriter(
                log: log, lock: lock, storeID: storeID, predecessor: predecessor, leftovers: leftovers,
                superseded: superseded, keepsLog: keepsLog)
            writer.run()
        }
    }

    private static func withoutTrailingSlash(_ path: String) -> String {
        var path = Substring(path)
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }
}

extension Log.State {
    var publicState: Store.State {
        if life.phase != .running { return .closed }
        if life.failure != nil { return .failed }
        return room.refusal?.code == .outOfSpace ? .outOfSpace : .ready
    }
}
