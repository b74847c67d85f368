internal import HeartwoodConcurrency
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
/// An internal actor serialises writes. In one step, without I/O and without suspension, it checks conditions, gives
/// the write its sequence number, appends it to the open commit and adds it to the index. A separate thread writes and
/// syncs commits; one commit serves all writes that wait at the same time. Reads take no lock.
///
/// Writes are asynchronous and run on the caller's actor. Use ``blocking`` in code that isn't asynchronous. Reads are
/// synchronous; ``fetch(_:)`` and ``scan(_:reversed:limit:)`` are asynchronous.
///
/// A store that is released without `close()` behaves as after the death of the process: acknowledged writes are safe.
/// Its read views and scans read on, and its feeds end.
///
/// A store holds its directory open. Neither another working directory of the process nor a renamed directory leads it
/// elsewhere: a store whose directory is renamed goes on in it.
public final class Store: Sendable {
    /// The path of the store's directory, as it was opened.
    public let path: String
    /// What recovery found when the store was opened.
    package let recoveryReport: RecoveryReport
    let image: StoreImage
    let log: Log
    let encoder: RecordEncoder

    /// Opens a store, and creates it if there is none. Blocks until it is open. In asynchronous code use
    /// ``open(at:configuration:)``.
    ///
    /// - Parameters:
    ///   - path: The directory. A relative path is resolved once, by this call. A path that begins with `~` is refused:
    ///     only a shell replaces `~` with the home directory.
    ///   - configuration: How the store works.
    /// - Throws: `.locked`, `.notFound`, `.permission`, `.corruption`, `.tornTail`, `.unsupportedFormat`,
    ///   `.inputOutput`, `.tooManyFiles`, `.outOfSpace`, `.invalidArgument`. A store that can't be opened is left
    ///   unchanged.
    /// - Complexity: O(bytes of log).
    public init(openingAt path: String, configuration: Configuration = Configuration()) throws(StoreError) {
        let configuration = try configuration.validated()
        let path = try path.checkedStorePath
        let recovered = try RecoveredStore(path, configuration: configuration)
        let log = recovered.makeLog()
        do {
            try Self.startWriter(of: log, recovered)
        } catch {
            recovered.release()
            throw StoreError(
                .tooManyFiles, "the thread of the log writer could not be started: raise the limit of threads",
                cause: error)
        }
        self.path = path
        self.log = log
        image = log.image
        recoveryReport = recovered.report
        encoder = RecordEncoder(log)
    }

    deinit {
        log.abandon()
    }

    /// Opens a store, and creates it if there is none, without blocking a thread of the cooperative pool.
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

    /// Opens a store, calls `body` with it, and closes it, also when `body` throws.
    ///
    /// - Throws: What `body` throws; otherwise what opening or closing throws.
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

    /// Creates a store in memory. It behaves like a store on disk, but it is lost when the process ends.
    ///
    /// - Parameter configuration: Its storage is replaced.
    public static func inMemory(configuration: Configuration = Configuration()) throws(StoreError) -> Store {
        var configuration = configuration
        configuration.storage = .inMemory()
        return try Store(openingAt: "/store", configuration: configuration)
    }

    /// Closes the store: syncs the accepted writes, writes a closing sync mark, and releases the files and the lock.
    ///
    /// Before that, it compacts if short openings have left many small log segments; see ``CompactionPolicy``.
    ///
    /// May be called any number of times, from any task or thread. Each call returns when the store is closed, with the
    /// same outcome. Other operations then throw `.closed`, also those of its read views, scans and transactions: let
    /// them end before. Feeds still deliver all changes until the close. Cancellation doesn't interrupt it.
    ///
    /// - Throws: `.inputOutput` and others if the last writes could not be brought to the disk, or files of the store
    ///   were removed, or moved to another directory; `.failed` if an earlier failure prevented that. The store is
    ///   closed in every case.
    public nonisolated(nonsending) func close() async throws(StoreError) {
        try await log.close()
    }

    /// What the store can do now.
    package var state: State { log.withState { $0.publicState } }

    private static func startWriter(of log: Log, _ recovered: RecoveredStore) throws {
        let lock = recovered.directory.lock
        let leftovers = recovered.directory.leftovers
        let superseded = recovered.outcome.superseded
        let predecessor = recovered.outcome.predecessor
        let keepsLog = recovered.directory.keepsLog
        _ = try startThread(name: "heartwood-log") {
            var writer = LogWriter(
                log: log, lock: lock, predecessor: predecessor, leftovers: leftovers,
                superseded: superseded, keepsLog: keepsLog)
            writer.run()
        }
    }
}

extension Log.State {
    var publicState: Store.State {
        if life.phase != .running { return .closed }
        if life.failure != nil { return .failed }
        return space.refusal?.code == .outOfSpace ? .outOfSpace : .ready
    }
}
