internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodRepository
internal import Logging

/// What all local repositories with one path and type share in a process: the store, and its records in memory.
final class LocalCore: Sendable {
    let name: LocalRegistry.Name
    private let opening: LocalOpening
    private let image = Locked(LocalImage())
    /// Sent after each change of the image.
    let signals = LocalSignals()
    /// Held while the store is opened or closed, which is I/O. Readers don't take it.
    private let gate = Locked(())

    init(_ name: LocalRegistry.Name, _ opening: LocalOpening) { (self.name, self.opening) = (name, opening) }

    /// What is in memory now. O(1).
    var contents: LocalImage { image.withLock { $0 } }

    /// A record in memory; nil if there is none. O(1).
    func record(_ id: [UInt8]) -> LocalRecord? { image.withLock { $0.records[id] } }

    /// The number of records in memory. O(1).
    var count: Int { image.withLock { $0.ids.count } }

    /// The records in memory at these positions in the order of ids. O(records).
    func page(offset: Int, limit: Int) -> [(id: [UInt8], record: LocalRecord)] {
        image.withLock { image in
            let start = min(max(0, offset), image.ids.count)
            let end = start + min(max(0, limit), image.ids.count - start)
            return image.ids[start..<end].compactMap { id in image.records[id].map { (id, $0) } }
        }
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
            closeStore()
            LocalRegistry.shared.closeUnused(besides: self)
            do throws(StoreError) {
                let opened = try openStore(logger)
                image.withLock { $0.load(opened) }
                signals.send()
                log(contents.problems, to: logger)
                return opened.store
            } catch {
                image.withLock { $0.failure = error }
                log([error], to: logger)
                throw error
            }
        }
    }

    private func openStore(_ logger: Logger) throws(StoreError) -> OpenedStore {
        do throws(StoreError) {
            return try opening.run(logger)
        } catch {
            guard error.code == .locked, let other = LocalRegistry.shared.used(besides: self) else { throw error }
            let (own, its) = (opening.model, other.opening.model)
            var error = error
            error.message =
                own.type == its.type
                ? "the store is open in this process as version \(its.shape.version) of \(its.types.item), and not "
                    + "\(own.shape.version): use one version for a file, or close the other repository first"
                : "the store is open in this process for items of the type \(its.types.item), and not "
                    + "\(own.types.item): use one type for a file, or close the other repository first"
            throw error
        }
    }

    /// Closes the store. Records stay in memory. Blocks.
    ///
    /// - Parameter isWanted: Asked once nothing else opens or closes; if it returns false, nothing happens.
    func close(if isWanted: () -> Bool = { true }) throws(StoreError) {
        try gate.withLock { (_) throws(StoreError) in
            guard isWanted() else { return }
            let store = image.withLock { image in
                defer { image.store = nil }
                return image.store
            }
            try store?.blocking.close()
        }
    }

    /// Writes changes durably, and then to memory.
    ///
    /// A cancelled task writes, too: the pattern's calls don't know cancellation.
    nonisolated(nonsending) func write(_ changes: [LocalChange], _ logger: Logger) async throws(StoreError) {
        // Of several changes of one id, the last counts.
        var last = KeyTable<LocalChange>()
        for change in changes { last.set(change.id, change) }
        let changes = last.items.map(\.value)
        var attempts = 3
        while true {
            attempts -= 1
            let store = try await writableStore(logger)
            do throws(StoreError) {
                return try await write(changes, to: store)
            } catch {
                // Another repository has closed the store meanwhile. Nothing was written.
                guard error.code == .closed, attempts > 0 else { throw error }
            }
        }
    }

    private nonisolated(nonsending) func write(
        _ changes: [LocalChange], to store: Store
    ) async throws(StoreError) {
        let version = opening.model.shape.version
        let envelope = RecordEnvelope(version: version, groups: [])
        let layout = image.withLock { image in
            image.beginWrite()
            return image.layout
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
            let revision = try await Self.write(batch, to: store)
            image.withLock { $0.endWrite(changes, version, at: revision) }
            signals.send()
        } catch {
            image.withLock { $0.endWrite([], version, at: nil) }
            throw error
        }
    }

    private static nonisolated(nonsending) func write(
        _ batch: WriteBatch, to store: Store
    ) async throws(StoreError) -> SequenceNumber {
        do throws(StoreError) {
            return try await store.write(batch, durability: .synced)
        } catch {
            guard error.code == .cancelled else { throw error }
        }
        // Nothing was written. A task of its own isn't cancelled.
        let task = Task<Result<SequenceNumber, StoreError>, Never> {
            do throws(StoreError) {
                return .success(try await store.write(batch, durability: .synced))
            } catch {
                return .failure(error)
            }
        }
        return try await task.value.get()
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

    /// Closes a store that failed, so that it can be opened again.
    private func closeStore() {
        let store = image.withLock { $0.store }
        try? store?.blocking.close()
    }

    private func log(_ problems: [StoreError], to logger: Logger) {
        let store = opening.place.store
        for problem in problems {
            logger.error("\(problem)", metadata: ["code": "\(problem.code)", "store": "\(store)"])
        }
    }
}
