internal import HeartwoodRepository
internal import Logging

/// The reads of a ``LocalRepository`` whose items need not be `Sendable`: each call decodes the items again, so that no
/// two callers share one. ``LocalRepository`` is the only type that conforms.
///
/// A protocol, because the compiler prefers a member of a type to one of a protocol that the type conforms to: for
/// items that are `Sendable`, the reads of ``LocalRepository`` itself are called, which decode only what has changed.
public protocol LocalItems<T>: Actor {
    /// The type of the items.
    associatedtype T: Codable & Identifiable where T.ID: Codable
    /// What it reads. Not for other types.
    nonisolated var reader: LocalReader<T> { get }
}

/// What a local repository reads. Opaque.
public struct LocalReader<T: Codable & Identifiable>: Sendable where T.ID: Codable {
    let core: LocalCore
    let coding: RecordCoding<T>
    let logger: Logger

    /// Decodes what has been decoded or encoded before.
    func decoded(_ record: LocalRecord) -> sending T? {
        do throws(StoreError) {
            return try coding.decode(record.version, record.payload.span.bytes, id: record.id)
        } catch {
            logger.error("an item that could be saved or loaded doesn't decode now: \(error)")
            return nil
        }
    }
}

extension LocalItems {
    /// The item with an id; nil if there is none. Reads memory only.
    ///
    /// - Complexity: O(bytes of the item), to decode it.
    public nonisolated(nonsending) func find(by id: T.ID) async -> sending T? {
        guard let key = try? reader.coding.key(id), let record = reader.core.record(key) else { return nil }
        return reader.decoded(record)
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
        for record in reader.core.page(offset: offset, limit: limit) {
            if let item = reader.decoded(record) { items.append(item) }
        }
        return items
    }
}
