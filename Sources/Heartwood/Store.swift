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
/// The actor serialises writes: it checks conditions, gives each write its sequence number, appends it to the open
/// commit and adds it to the index, in one step without I/O and without suspension. A thread of its own writes and
/// syncs commits, each for all the writes of its moment. Reads are `nonisolated`.
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
    private nonisolated let executor = LockExecutor()
    private var nextTicket: UInt64 = 0

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

    /// The executor: a lock. A method that you isolate to the store in an extension runs on one of a few threads of its
    /// own, with that lock held; every write waits for it, so it must be short and must not block.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

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
    /// May be called any number of times, by anybody; each call returns when it is done, with the same outcome. Calls
    /// that come after it throw `.closed`. Cancellation doesn't interrupt it.
    ///
    /// - Throws: `.inputOutput` and others when the last writes could not be brought to the disk, or files of the store
    ///   were removed or moved; `.failed` when an earlier failure kept them from it. It is closed all the same.
    public nonisolated(nonsending) func close() async throws(StoreError) {
        try await log.close()
    }

    /// What the store can do at the moment.
    public nonisolated var state: State { log.state.withState { $0.publicState } }

    private static func startWriter(_ recovered: RecoveredStore) throws {
        let log = recovered.log
        let lock = recovered.directory.lock
        let leftovers = recovered.directory.leftovers
        let superseded = recovered.outcome.superseded
        let storeID = recovered.outcome.storeID
        let predecessor = recovered.outcome.predecessor
        _ = try startThread(name: "heartwood-log") {
            var writer = LogWriter(
                log: log, lock: lock, storeID: storeID, predecessor: predecessor, leftovers: leftovers,
                superseded: superseded)
            writer.run()
        }
    }

    private static func withoutTrailingSlash(_ path: String) -> String {
        var path = Substring(path)
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }

    // MARK: - The one write

    /// Checks the conditions, numbers the batch, appends it and adds it to the index: one step that nothing comes
    /// between.
    ///
    /// - Parameter ticket: Identifies the write over its attempts; 0 at the first, which gets one.
    private func step(
        _ batch: EncodedBatch, _ conditions: [Condition], _ durability: Durability.Level, _ ticket: inout UInt64
    ) throws(StoreError) -> Log.Admission {
        if ticket == 0 { ticket = makeTicket() }
        try check(conditions)
        return try log.append(batch, durability: durability, ticket: ticket)
    }

    /// The same for a single record without conditions.
    private func step(
        _ record: UnplacedRecord, _ durability: Durability.Level, _ hint: LeafHint
    ) throws(StoreError) -> Log.Admission {
        let ticket = makeTicket()
        let admission = try log.append(record, durability: durability, ticket: ticket, hint: hint)
        if case .mustWait = admission { log.withdraw(ticket: ticket) }
        return admission
    }

    private func makeTicket() -> UInt64 {
        nextTicket += 1
        return nextTicket
    }

    /// Throws `.conflict` unless all of them hold in the newest state.
    private func check(_ conditions: [Condition]) throws(StoreError) {
        for condition in conditions where !condition.holds(in: log) { throw condition.conflict }
    }

    /// Takes the step on the actor, without being suspended; and writes the commit, off the actor, where that is the
    /// caller's turn.
    nonisolated func admit(
        _ batch: EncodedBatch, _ conditions: [Condition], _ durability: Durability.Level, _ ticket: inout UInt64
    ) throws(StoreError) -> Log.Admission {
        log.committing(
            try executor.run { () throws(StoreError) in
                try assumeIsolated { store in
                    Result { () throws(StoreError) in try store.step(batch, conditions, durability, &ticket) }
                }.get()
            })
    }

    /// The same for a single record.
    nonisolated func admit(
        _ record: UnplacedRecord, _ durability: Durability.Level, hint: LeafHint
    ) throws(StoreError) -> Log.Admission {
        log.committing(
            try executor.run { () throws(StoreError) in
                // Sound because `run` has the actor's lock, which is what it is to be on the actor; and because the
                // record's bytes are lent until this returns. `assumeIsolated` comes to the same, but for an object that
                // it makes for each call, and a second look whether this is the actor: 8 % of a buffered put.
                assert(executor.isHeld)
                let step = unsafeBitCast(Self.isolatedStep, to: Self.Step.self)
                return try step(self, record, durability, hint)
            })
    }

    private typealias IsolatedStep =
        (isolated Store, UnplacedRecord, Durability.Level, LeafHint) throws(StoreError) -> Log.Admission
    private typealias Step = (Store, UnplacedRecord, Durability.Level, LeafHint) throws(StoreError) -> Log.Admission

    private static var isolatedStep: IsolatedStep {
        { (store, record, durability, hint) throws(StoreError) in try store.step(record, durability, hint) }
    }

    /// Judges conditions on the actor, for a write without operations.
    nonisolated func confirm(_ conditions: [Condition]) throws(StoreError) {
        try executor.run { () throws(StoreError) in
            try assumeIsolated { store in
                Result { () throws(StoreError) in try store.check(conditions) }
            }.get()
        }
    }
}

extension Log.State {
    var publicState: Store.State {
        if phase != .running { return .closed }
        if failure != nil { return .failed }
        return refusal?.code == .outOfSpace ? .outOfSpace : .ready
    }
}
