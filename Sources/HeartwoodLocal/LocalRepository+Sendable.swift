internal import KeyValueStore

/// The same reads for items that are `Sendable`: an item that hasn't changed isn't decoded again.
extension LocalRepository where T: Sendable {
    /// The item with an id; nil if there is none. Reads memory only.
    ///
    /// - Complexity: O(log items), and O(bytes of the item) if it has changed since it was read last.
    public nonisolated(nonsending) func find(by id: T.ID) async -> T? {
        guard let key = try? coding.key(id), let record = core.record(key) else { return nil }
        return await cached(record)
    }

    /// All items, in the order of their ids, as keys of a `Repository` are ordered. Reads memory only.
    ///
    /// - Complexity: O(1) if nothing has changed since the last call; otherwise O(items), and those that have changed
    ///   are decoded.
    public func loadAll() async -> [T] {
        let image = core.contents
        if let all = cache.all, all.generation == image.generation { return all.items }
        var items: [T] = []
        items.reserveCapacity(image.records.count)
        cache.keep(image.records)
        for record in image.records { if let item = cached(record) { items.append(item) } }
        cache.all = (image.generation, items)
        return items
    }

    /// Items in the order of their ids, as keys of a `Repository` are ordered. Reads memory only.
    ///
    /// - Parameters:
    ///   - offset: How many items come before the page.
    ///   - limit: How many items the page has at most.
    /// - Complexity: O(items of the page); those that have changed since they were read last are decoded.
    public func page(offset: Int, limit: Int) async -> [T] {
        core.page(offset: offset, limit: limit).compactMap { cached($0) }
    }

    /// All items, and then again after each change: see ``LocalValues``.
    ///
    /// ```swift
    /// for await items in repository.observe() { show(items) }
    /// ```
    ///
    /// - Complexity: That of ``loadAll()`` for each element.
    public nonisolated func observe() -> LocalValues<[T]> {
        LocalValues(core: core) {
            // Read before the items: a change in between makes another element, and none is missed.
            let generation = self.core.contents.generation
            return (await self.loadAll(), UInt64(generation))
        }
    }

    /// The item with an id, nil while there is none, and then each newer one.
    ///
    /// - Complexity: A look-up in memory for each change of any item.
    public nonisolated func observe(_ id: T.ID) -> LocalValues<T?> where T.ID: Sendable {
        LocalValues(core: core) {
            let revision = (try? self.coding.key(id)).flatMap { self.core.record($0)?.revision }
            // 0 is no revision.
            return (await self.find(by: id), revision ?? 0)
        }
    }

    private func cached(_ record: LocalRecord) -> T? {
        if let item = cache.item(record) { return item }
        guard let item: T = decoded(record) else { return nil }
        cache.items[record.id] = (record.revision, item)
        return item
    }
}

/// Decoded items, by encoded id and revision.
struct LocalCache<T> {
    var items: [[UInt8]: (revision: SequenceNumber, item: T)] = [:]
    /// What `loadAll` has returned last, and the generation of the image that it was made from.
    var all: (generation: Int, items: [T])?

    /// The item that was decoded from this record.
    func item(_ record: LocalRecord) -> T? {
        guard let found = items[record.id], found.revision == record.revision else { return nil }
        return found.item
    }

    /// Forgets the items of records that are gone.
    mutating func keep(_ records: [LocalRecord]) {
        guard items.count > records.count else { return }
        let ids = Set(records.map(\.id))
        items = items.filter { ids.contains($0.key) }
    }
}
