@testable import KeyValueStore
import Synchronization

@testable import HeartwoodRepository

/// Keys and values in memory, for tests of reads.
struct SortedEntries: KeyValueReader {
    final class Counter: Sendable {
        let count = Atomic(0)
        func add(_ more: Int = 1) { count.add(more, ordering: .relaxed) }
        var value: Int { count.load(ordering: .relaxed) }
    }

    private(set) var entries: [Entry]
    let roundTrips = Counter()
    /// Keys that were looked up, and entries of ranges.
    let reads = Counter()

    /// The same with another value of a key.
    func replacing(_ key: [UInt8], with value: [UInt8]) -> SortedEntries {
        var copy = self
        copy.entries = entries.map { Entry(key: $0.key, value: $0.key == key ? value : $0.value, sequence: 1) }
        return copy
    }

    init(_ contents: [[UInt8]: [UInt8]]) {
        entries = contents.map { Entry(key: $0, value: $1, sequence: 1) }
            .sorted { KeyOrder.compare($0.key, $1.key) < 0 }
    }

    /// The first entry of which `isLater` holds; it holds of all entries after it.
    private func first(where isLater: (Entry) -> Bool) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if isLater(entries[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func found(_ key: [UInt8]) -> Entry? {
        let position = first { KeyOrder.compare($0.key, key) >= 0 }
        return position < entries.count && entries[position].key == key ? entries[position] : nil
    }

    nonisolated(nonsending) func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry? {
        roundTrips.add()
        return found(key)
    }

    nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        roundTrips.add()
        reads.add(keys.count)
        return keys.map { found($0) }
    }

    nonisolated(nonsending) func fetchEntries(
        in range: KeyRange, reversed: Bool, limit: Int
    ) async throws(StoreError) -> EntryPage {
        roundTrips.add()
        let all = part(range)
        let taken = reversed ? Array(all.suffix(limit).reversed()) : Array(all.prefix(limit))
        reads.add(taken.count)
        guard taken.count == limit, let last = taken.last else { return EntryPage(entries: taken, next: nil) }
        return EntryPage(entries: taken, next: range.remainder(after: last.key, reversed: reversed))
    }

    nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
        roundTrips.add()
        return part(range).count
    }

    private func part(_ range: KeyRange) -> ArraySlice<Entry> {
        let start = first { entry in entry.key.withUnsafeBytes { range.startsBefore($0) } }
        let end = first { entry in !entry.key.withUnsafeBytes { range.endsAfter($0) } }
        return entries[start..<max(start, end)]
    }
}

/// Items with index entries, as a repository would have them.
struct ItemStore {
    let items: [Item]
    let source: QuerySource<Item>
    let reader: SortedEntries

    init(_ items: [Item], _ indexes: [Index<Item>]) {
        var contents: [[UInt8]: [UInt8]] = [:]
        for (position, item) in items.enumerated() {
            let id = ElementKind.encoded(item.id)
            contents[[0x10] + id] = withUnsafeBytes(of: position) { Array($0) }
            for (number, index) in indexes.enumerated() {
                for (key, value) in Self.entries(of: item, id, index) { contents[[0x20, UInt8(number)] + key] = value }
            }
        }
        // Neighbours, which no query may find.
        contents[[0x0F, 0xFF]] = [1]
        contents[[0x11]] = [1]
        contents[[0x20]] = [1]
        contents[[0x21]] = [1]
        self.items = items
        reader = SortedEntries(contents)
        let layout = QueryLayout(
            recordPrefix: [0x10], indexes: indexes.enumerated().map { ($1, [0x20, UInt8($0)]) }, idPath: \Item.id,
            idIsOrdered: true,
            entryKeys: { entry throws(StoreError) in
                let item = try Self.item(entry, items)
                return indexes.enumerated().flatMap { number, index in
                    Self.entries(of: item, ElementKind.encoded(item.id), index).map { [0x20, UInt8(number)] + $0.0 }
                }
            })
        source = QuerySource(
            reader: SourceReader(reader, layout), decode: { entry throws(StoreError) in try Self.item(entry, items) })
    }

    /// The same with a record that can't be read.
    func damaging(_ id: Int) -> ItemStore {
        ItemStore(self, reader.replacing([0x10] + ElementKind.encoded(id), with: []))
    }

    private init(_ store: ItemStore, _ reader: SortedEntries) {
        (items, self.reader) = (store.items, reader)
        source = QuerySource(reader: SourceReader(reader, store.source.layout), decode: store.source.decode)
    }

    private static func item(_ entry: Entry, _ items: [Item]) throws(StoreError) -> Item {
        guard entry.value.count == 8 else { throw StoreError(.corruption, "the record isn't one: restore it") }
        return items[entry.value.withUnsafeBytes { $0.loadUnaligned(as: Int.self) }]
    }

    /// The entries of a record in an index, without the prefix.
    private static func entries(of item: Item, _ id: [UInt8], _ index: Index<Item>) -> [([UInt8], [UInt8])] {
        var keys: [[[UInt8]]] = [[]]
        for component in index.components {
            let values = Set(component.values(item))
            keys = keys.flatMap { key in values.map { key + [$0] } }
        }
        return keys.map { elements in
            let hasNull = elements.contains { EncodedElement.isNull($0) }
            return index.isUnique && !hasNull ? (Array(elements.joined()), id) : (Array(elements.joined()) + id, [])
        }
    }
}
