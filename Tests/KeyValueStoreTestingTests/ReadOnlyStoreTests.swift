import Heartwood
import HeartwoodTesting
import KeyValueStore
import KeyValueStoreTesting
import Testing

/// The reading half of the protocol: what a `ReadOnlyStore` shows after a refresh is what the store has.
@Suite struct ReadOnlyStoreTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func readsWhatTheStoreHas(_ seed: UInt64) async throws {
        var random = SeededRandom(seed)
        let (disk, clock) = (SimulatedDisk(seed: seed), TestClock())
        var configuration = Store.Configuration()
        (configuration.fileSystem, configuration.clock, configuration.segmentBytes) = (disk, clock, 64 << 10)
        let store = try Store(openingAt: "/store", configuration: configuration)
        try await store.put([1], [1])
        let copy = try ReadOnlyStore(openingAt: "/store", level: .visible, configuration: configuration)
        var older: [(view: any KeyValueView, entries: [Entry])] = []
        for _ in 0..<20 {
            for _ in 0..<10 { try await store.write(randomBatch(&random), durability: .synced) }
            if Int.random(in: 0..<4, using: &random) == 0 { try await store.compact() }
            _ = try await copy.refresh()
            try await compare(copy, store, &random)
            try await compare(copy.readView(), store.readView(), &random)
            older.append((try copy.readView(), try await all(store)))
        }
        for (view, entries) in older { #expect(try await all(view) == entries) }
        clock.advance(by: .seconds(100))
        try await store.put([9, 9], [])
        _ = try await copy.refresh()
        #expect(try await all(copy) == all(store))
        try await store.close()
    }

    @Test func followsWhatTheStoreWrites() async throws {
        let disk = SimulatedDisk(seed: 4)
        var (random, configuration) = (SeededRandom(4), Store.Configuration())
        configuration.fileSystem = disk
        let store = try Store(openingAt: "/store", configuration: configuration)
        let start = try store.readView().position
        for _ in 0..<20 { try await store.write(randomBatch(&random), durability: .synced) }
        let last = try await store.put([255], [])
        let copy = try ReadOnlyStore(openingAt: "/store", level: .visible, configuration: configuration)
        #expect(
            try await changes(of: copy, after: start, through: last) == changes(of: store, after: start, through: last))
        try await store.close()
    }

    private func changes(
        of store: some ReadableKeyValueStore, after position: ChangePosition, through last: SequenceNumber
    ) async throws -> [Change] {
        var changes: [Change] = []
        for try await change in store.changes(after: position, in: .all, level: .visible) {
            changes.append(change)
            if change.sequence == last { break }
        }
        return changes
    }

    private func all(_ reader: some KeyValueReader) async throws -> [Entry] {
        try await reader.fetchEntries(in: .all, reversed: false, limit: .max).entries
    }

    private func compare(
        _ copy: some KeyValueReader, _ store: some KeyValueReader, _ random: inout SeededRandom
    ) async throws {
        let keys = (0..<6).map { _ in randomKey(&random) }
        let lender = try #require(copy as? any LendingReader)
        #expect(try await copy.fetchEntries(of: keys) == store.fetchEntries(of: keys))
        for key in keys {
            #expect(try await copy.fetchEntry(key) == store.fetchEntry(key))
            #expect(try await copy.fetch(key) == store.fetchEntry(key)?.value)
            var values: [[UInt8]] = []
            let isThere = try await lender.lendEntry(key) { value, _, _ in
                values.append(value.withUnsafeBytes { [UInt8]($0) })
            }
            #expect(try await store.fetchEntry(key).map { [$0.value] } ?? [] == values)
            #expect(isThere == !values.isEmpty)
        }
        let bounds: [KeyBound] = [.unbounded, .included(keys[0]), .excluded(keys[1]), .included(keys[2])]
        for lower in bounds {
            for upper in bounds {
                let range = KeyRange(lower: lower, upper: upper)
                for reversed in [false, true] {
                    let page = try await copy.fetchEntries(in: range, reversed: reversed, limit: 4)
                    #expect(try await store.fetchEntries(in: range, reversed: reversed, limit: 4) == page)
                }
                #expect(try await copy.fetchCount(in: range) == store.fetchCount(in: range))
            }
        }
    }

    private func randomKey(_ random: inout SeededRandom) -> [UInt8] {
        (0..<Int.random(in: 1...2, using: &random)).map { _ in UInt8.random(in: 0..<6, using: &random) }
    }

    private func randomBatch(_ random: inout SeededRandom) -> WriteBatch {
        var operations: [[UInt8]: WriteBatch.Operation] = [:]
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let key = randomKey(&random)
            let value = [UInt8](repeating: 1, count: Int.random(in: 0...200, using: &random))
            let expires: Expiry = Bool.random(using: &random) ? .never : .after(.seconds(60))
            let isRemoval = Int.random(in: 0..<3, using: &random) == 0
            operations[key] = .init(key: key, value: isRemoval ? nil : value, expires: expires)
        }
        return WriteBatch(operations: Array(operations.values))
    }
}
