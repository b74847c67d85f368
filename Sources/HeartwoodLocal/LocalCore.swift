internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodRepository
internal import Logging

/// What all local repositories with one path and type share in a process: the store, and its records in memory.
final class LocalCore: Sendable {
    /// What repositories have in common that share a core. Another type or version of one path doesn't: its opening
    /// finds the store locked.
    struct Name: Hashable, Sendable {
        let place: LocalPlace
        let type: ObjectIdentifier
        let version: Int
    }

    let name: Name
    private let opening: LocalOpening
    private let image = Locked(LocalImage())
    private let observers = Locked((next: 0, waiting: [Int: AsyncStream<Void>.Continuation]()))
    /// Held while the store is opened or closed, which is I/O. Readers don't take it.
    private let gate = Locked(())

    init(_ name: Name, _ opening: LocalOpening) { (self.name, self.opening) = (name, opening) }

    /// What is in memory now. O(1).
    var contents: LocalImage { image.withLock { $0 } }

    /// A record in memory; nil if there is none. O(log records).
    func record(_ id: [UInt8]) -> LocalRecord? { image.withLock { $0.record(id) } }

    /// The number of records in memory. O(1).
    var count: Int { image.withLock { $0.records.count } }

    /// The records in memory at these positions in the order of ids. O(1).
    func page(offset: Int, limit: Int) -> ArraySlice<LocalRecord> {
        contents.records.dropFirst(max(0, offset)).prefix(max(0, limit))
    }

    /// Signals now, and after each change in memory. One that wasn't taken yet stands for all later ones.
    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let name = observers.withLock { observers in
            observers.next += 1
            observers.waiting[observers.next] = continuation
            return observers.next
        }
        continuation.onTermination = { [weak self] _ in self?.observers.withLock { $0.waiting[name] = nil } }
        continuation.yield()
        return stream
    }

    private func signal() {
        for continuation in observers.withLock({ Array($0.waiting.values) }) { continuation.yield() }
    }

    /// The store, opened if it isn't open or can't be written any more. Blocks.
    ///
    /// - Parameters:
    ///   - logger: Gets what an opening finds.
    ///   - isFirst: Whether the logger also gets what an earlier opening has found.
    /// - Throws: What prevents it. The records stay as they are in memory.
    @discardableResult
    func open(_ logger: Logger, isFirst: Bool = false) throws(StoreError) -> Store {
        try gate.withLock { (_) throws(StoreError) in
            if let store = usableStore {
                if isFirst { log(contents.problems, to: logger) }
                return store
            }
            // One that failed is closed, so that it can be opened again.
            try? contents.store?.blocking.close()
            LocalRegistry.closeUnused(besides: self)
            do throws(StoreError) {
                let (store, contents) = try opening.run(logger)
                image.withLock { $0.load(contents, store) }
                signal()
                log(self.contents.problems, to: logger)
                return store
            } catch {
                let error = naming(LocalRegistry.user(besides: self), in: error)
                image.withLock { $0.failure = error }
                log([error], to: logger)
                throw error
            }
        }
    }

    /// Says which core has locked the store, if it is one of this process.
    private func naming(_ other: LocalCore?, in error: StoreError) -> StoreError {
        guard error.code == .locked, let other else { return error }
        let (own, its) = (opening.model, other.opening.model)
        var error = error
        error.message =
            own.itemType == its.itemType
            ? "the store is open in this process as version \(its.version) of \(its.itemType), and not "
                + "\(own.version): use one version for a file, or close the other repository first"
            : "the store is open in this process for items of the type \(its.itemType), and not \(own.itemType): use "
                + "one type for a file, or close the other repository first"
        return error
    }

    /// Closes the store. Records stay in memory. Blocks.
    ///
    /// - Parameter isWanted: Asked once nothing else opens or closes; if it returns false, nothing happens.
    func close(if isWanted: () -> Bool = { true }) throws(StoreError) {
        try gate.withLock { (_) throws(StoreError) in
            guard isWanted() else { return }
            try image.withLock { $0.store.take() }?.blocking.close()
        }
    }

    /// Writes changes durably, and then to memory.
    ///
    /// A cancelled task writes, too: the pattern's calls don't know cancellation. A task of its own isn't cancelled.
    func write(_ changes: [LocalChange], _ logger: Logger) async throws(StoreError) {
        let task = Task<Result<Void, StoreError>, Never> {
            var attempts = 3
            while true {
                attempts -= 1
                do throws(StoreError) {
                    return .success(try await self.write(changes, to: try await self.writableStore(logger)))
                } catch {
                    // Another repository has closed the store meanwhile. Nothing was written.
                    guard error.code == .closed, attempts > 0 else { return .failure(error) }
                }
            }
        }
        try await task.value.get()
    }

    private nonisolated(nonsending) func write(
        _ changes: [LocalChange], to store: Store
    ) async throws(StoreError) {
        let version = opening.model.version
        let envelope = RecordEnvelope(version: version, groups: [])
        let layout = image.withLock { image in
            image.beginWrite()
            return image.contents.layout
        }
        var batch = store.makeBatch()
        for change in changes {
            let key = layout.recordKey(change.id)
            if let payload = change.payload {
                batch.put(key, envelope.encoded(with: payload))
            } else {
                batch.remove(key)
            }
        }
        do throws(StoreError) {
            let revision = try await store.write(batch, durability: .synced)
            image.withLock { $0.endWrite(changes, version, at: revision) }
            signal()
        } catch {
            image.withLock { $0.endWrite([], version, at: nil) }
            throw error
        }
    }

    private nonisolated(nonsending) func writableStore(_ logger: Logger) async throws(StoreError) -> Store {
        if let store = usableStore { return store }
        return try await BlockingPool.run { () throws(StoreError) in try self.open(logger) }
    }

    private var usableStore: Store? {
        guard let store = image.withLock({ $0.store }) else { return nil }
        switch store.state {
        case .ready, .outOfSpace: return store
        case .failed, .closed: return nil
        }
    }

    private func log(_ problems: [StoreError], to logger: Logger) {
        for problem in problems {
            logger.error("\(problem)", metadata: ["code": "\(problem.code)", "store": "\(name.place.store)"])
        }
    }
}

/// The cores of this process, so that local repositories of one path and type share one.
enum LocalRegistry {
    private static let cores = Locked<[LocalCore.Name: (core: LocalCore, uses: Int)]>([:])

    /// The core with a name; `new` if there is none. Each call needs a ``release(_:)``.
    static func core(_ new: LocalCore) -> LocalCore {
        cores.withLock { cores in
            cores[new.name, default: (new, 0)].uses += 1
            return cores[new.name]?.core ?? new
        }
    }

    /// Ends a use. After the last one, the store is closed by another thread: that may wait for the disk.
    static func release(_ core: LocalCore) {
        cores.withLock { $0[core.name]?.uses -= 1 }
        if isUsed(core) { return }
        BlockingPool.start {
            // An opening that came first has taken the core over. One that comes now waits, and opens the store again.
            try? core.close(if: { !isUsed(core) })
            // One that was used and released meanwhile still has the store open, and is closed by the next call.
            cores.withLock { cores in
                guard let own = cores[core.name], own.core === core, own.uses == 0 else { return }
                if core.contents.store == nil { cores[core.name] = nil }
            }
        }
    }

    /// Closes the cores of the same place that no repository uses any more, such as one of another type, instead of
    /// waiting until they are closed. Blocks.
    static func closeUnused(besides core: LocalCore) {
        for other in others(of: core) { try? other.close(if: { !isUsed(other) }) }
    }

    /// A core of the same place that a repository uses, and that has the store open; nil if there is none.
    static func user(besides core: LocalCore) -> LocalCore? {
        others(of: core).first { isUsed($0) && $0.contents.store != nil }
    }

    private static func others(of core: LocalCore) -> [LocalCore] {
        cores.withLock { $0.values.map(\.core) }.filter { $0 !== core && $0.name.place == core.name.place }
    }

    private static func isUsed(_ core: LocalCore) -> Bool {
        cores.withLock { cores in cores[core.name].map { $0.core === core && $0.uses > 0 } ?? false }
    }
}
