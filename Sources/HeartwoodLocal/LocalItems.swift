/// The reads of a ``LocalRepository`` whose items need not be `Sendable`: each call decodes the items again, so that no
/// two callers share one. ``LocalRepository`` is the only type that conforms.
///
/// A protocol, because the compiler prefers a member of a type to one of a protocol that the type conforms to: for
/// items that are `Sendable`, the reads of ``LocalRepository`` itself are called, which decode only what has changed.
public protocol LocalItems<T>: Actor {
    /// The type of the items.
    associatedtype T: Codable & Identifiable where T.ID: Hashable & Codable
    /// The repository itself. Not for other types.
    nonisolated var repository: LocalRepository<T> { get }
}

extension LocalItems {
    /// The item with an id; nil if there is none. Reads memory only.
    ///
    /// - Complexity: O(bytes of the item), to decode it.
    public nonisolated(nonsending) func find(by id: T.ID) async -> sending T? {
        guard let key = try? repository.coding.key(id), let record = repository.core.record(key) else { return nil }
        return repository.decoded(record)
    }

    /// All items, in the order of their ids, as keys of a `Repository` are ordered. Reads memory only.
    ///
    /// - Complexity: O(bytes of all items), to decode them.
    public func loadAll() async -> sending [T] { items(offset: 0, limit: .max) }

    /// Items in the order of their ids, as keys of a `Repository` are ordered. Reads memory only.
    ///
    /// - Parameters:
    ///   - offset: How many items come before the page.
    ///   - limit: How many items the page has at most.
    /// - Complexity: O(bytes of the page), whatever the offset.
    public func page(offset: Int, limit: Int) async -> sending [T] { items(offset: offset, limit: limit) }

    private func items(offset: Int, limit: Int) -> sending [T] {
        var items: [T] = []
        for record in repository.core.page(offset: offset, limit: limit) {
            if let item = repository.decoded(record) { items.append(item) }
        }
        return items
    }
}
