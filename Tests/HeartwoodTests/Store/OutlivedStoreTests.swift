import HeartwoodCampaignSupport
import HeartwoodConcurrency
import HeartwoodFileSystem
import Testing

@testable import Heartwood

/// Views, scans and feeds that are used after their store was released or closed.
@Suite struct OutlivedStoreTests {
    private let directory = TemporaryDirectory()

    private static let keys = (0..<150).map { "key \($0)" }

    private static func value(_ number: Int) -> [UInt8] {
        ValuePattern(identity: UInt64(number) + 1, length: number % 50 == 0 ? 9_000 : number % 7 * 120).bytes
    }

    private func configuration(_ reading: ValueReading) -> Store.Configuration {
        var configuration = Store.Configuration(
            in: POSIXFileSystem(), segmentBytes: 16 << 10, commitBufferBytes: 64 << 10)
        configuration.compaction = .manual
        configuration.compression = .zlib(level: 1, threshold: 4_096)
        configuration.valueReading = reading
        // The last writes stay in memory.
        configuration.timing.write = .max
        return configuration
    }

    /// A store with records in a snapshot, in several segments, and in memory only.
    private func make(_ reading: ValueReading) async throws -> Store {
        let store = try await Store.open(at: directory.path("store"), configuration: configuration(reading))
        for (number, key) in Self.keys.enumerated() {
            let expires: Expiry = number % 3 == 0 ? .after(.seconds(10_000)) : .never
            try await store.put(key, Self.value(number), expires: expires, durability: .buffered)
            if number == 50 { try await store.compact() }
            if number == 140 { try await store.sync() }
        }
        #expect(store.image.mayBePending(try #require(store.log.index.newest(of: "key 149")).location))
        return store
    }

    /// A form of reading a view.
    private enum Form: CaseIterable {
        case get, fetch, entry, fetchEntry, getAll, fetchEntriesOfKeys
        case withEntry, lendEntry, contains, expiry
        case count, fetchCount, entries, fetchEntries, fetchKeys, fetchNextExpiry
        case keys, scan, scanEntries, forEach, forEachEntry, forEachKey

        /// What it reads.
        func read(_ view: ReadView) async throws -> [[UInt8]] {
            var found: [[UInt8]] = []
            switch self {
            case .get: for key in keys { found.append(try view.get(key) ?? []) }
            case .fetch: for key in keys { found.append(try await view.fetch(key) ?? []) }
            case .entry: for key in keys { found.append(bytes(try view.entry(key))) }
            case .fetchEntry: for key in keys { found.append(bytes(try await view.fetchEntry(key))) }
            case .getAll: found = try view.get(all: keys).map { $0 ?? [] }
            case .fetchEntriesOfKeys: found = try await view.fetchEntries(of: keys).map(bytes)
            case .withEntry:
                for key in keys { _ = try view.withEntry(key) { value, _, _ in found.append(bytes(value)) } }
            case .lendEntry:
                for key in keys {
                    _ = try await view.lendEntry(Array(key.utf8)) { value, _, _ in found.append(bytes(value)) }
                }
            case .contains: for key in keys { found.append(try view.contains(key) ? [1] : [0]) }
            case .expiry: for key in keys { found.append(Array("\(try view.expiry(of: key) as Any)".utf8)) }
            case .count: found = [Array("\(try view.scan().count())".utf8)]
            case .fetchCount: found = [Array("\(try await view.fetchCount(in: .all))".utf8)]
            case .entries: found = try view.entries(in: .all, reversed: true, limit: 1_000).entries.map(bytes)
            case .fetchEntries: found = try await view.fetchEntries(limit: 1_000).entries.map(bytes)
            case .fetchKeys: found = try await view.fetchKeys(in: .all, limit: 1_000)
            case .fetchNextExpiry: found = [Array("\(try await view.fetchNextExpiry(in: .all) as Any)".utf8)]
            case .keys: found = [[UInt8]](try view.scan().keys)
            case .scan: for try await entry in view.scan(reversed: true) { found.append(bytes(entry)) }
            case .scanEntries: found = try view.scan(limit: 1_000).entries().map(bytes)
            case .forEachEntry:
                try view.scan().forEachEntry { entry in
                    found.append(bytes(entry))
                    return .next
                }
            case .forEach:
                try view.scan().forEach { key, value in
                    found.append(bytes(key) + bytes(value))
                    return .next
                }
            case .forEachKey:
                try view.scan().forEachKey { key in
                    found.append(bytes(key))
                    return .next
                }
            }
            return found
        }

        private var keys: [String] { OutlivedStoreTests.keys }

        private func bytes(_ span: RawSpan) -> [UInt8] { span.withUnsafeBytes { [UInt8]($0) } }

        private func bytes(_ entry: Entry?) -> [UInt8] {
            entry.map { $0.key + $0.value + Array("\($0.sequence) \($0.expires as Any)".utf8) } ?? []
        }
    }

    private static func results(_ view: ReadView) async throws -> [Form: [[UInt8]]] {
        var results: [Form: [[UInt8]]] = [:]
        for form in Form.allCases { results[form] = try await form.read(view) }
        return results
    }

    /// A released store keeps its lock no longer. Its views read on, also when another opening replaces the files.
    @Test(arguments: [ValueReading.positioned, .mapped])
    func aViewReadsOnAfterItsStoreWasReleased(reading: ValueReading) async throws {
        var store: Store? = try await make(reading)
        var view: ReadView? = try store?.readView()
        let before = try await Self.results(#require(view))
        #expect(before.values.allSatisfy { !$0.isEmpty })
        store = nil
        #expect(try await Self.results(#require(view)) == before)

        let again = try await Store.open(at: directory.path("store"), configuration: configuration(reading))
        #expect(try again.get("key 149") == nil, "it was never written to the files")
        for key in Self.keys { try await again.put(key, "new", durability: .buffered) }
        try await again.compact()
        #expect(try await Self.results(#require(view)) == before)
        try await again.close()
        #expect(try await Self.results(#require(view)) == before)
        view = nil
        #expect(try directory.descriptors(of: "store").isEmpty)
    }

    /// The last use of a store may be the call that begins an iteration.
    @Test func anIterationGoesOnAfterItsStoreWasReleased() async throws {
        var store: Store? = try await make(.positioned)
        let expected = try #require(store).scan().entries()
        var scan = try #require(store).scan().makeAsyncIterator()
        var keys = try #require(store).scan().keys.makeIterator()
        for entry in expected[..<20] {
            #expect(try await scan.next()?.value == entry.value)
            #expect(keys.next() == entry.key)
        }
        store = nil
        for entry in expected[20...] {
            #expect(try await scan.next()?.value == entry.value)
            #expect(keys.next() == entry.key)
        }
        #expect(try await scan.next() == nil)
        #expect(keys.next() == nil)

        // While a closure has an entry.
        store = try await Store.open(at: directory.path("store"), configuration: configuration(.positioned))
        let view = try #require(store).readView()
        var count = 0
        try view.scan().forEachEntry { _ in
            if count == 10 { store = nil }
            count += 1
            return .next
        }
        #expect(try count == view.scan().count())
    }

    /// A released store ends its feeds after what is in its files; the view of a following reads on.
    @Test func aFeedEndsAfterItsStoreWasReleased() async throws {
        var store: Store? = try await make(.positioned)
        let following = try await #require(store).follow(level: .visible)
        let last = try await #require(store).put("after", "1", durability: .written)
        try await #require(store).put("never written", "1", durability: .buffered)
        store = nil
        var keys: [[UInt8]] = []
        for try await change in following.changes {
            #expect(change.sequence == last)
            keys.append(change.key)
        }
        #expect(keys == [Array("after".utf8)])
        #expect(try following.view.scan().count() == Self.keys.count)
        #expect(try following.view.get("key 7") == Self.value(7))
    }

    /// The view and the feed of a reader continue without it.
    @Test func aReadersViewReadsOnAfterItWasReleased() async throws {
        let store = try await make(.positioned)
        try await store.close()
        var reader: ReadOnlyStore? = try await ReadOnlyStore.open(at: directory.path("store"))
        var view: ReadView? = try reader?.readView()
        let before = try await Self.results(#require(view))
        var feed: Changes.AsyncIterator? = reader?.changes(after: view?.position, level: .visible).makeAsyncIterator()
        reader = nil
        #expect(try await Self.results(#require(view)) == before)
        let again = try await Store.open(at: directory.path("store"), configuration: configuration(.positioned))
        try await again.put("after", "1", durability: .written)
        #expect(try await feed?.next()?.key == Array("after".utf8))
        try await again.close()
        (view, feed) = (nil, nil)
        while try !directory.descriptors(of: "store").isEmpty { await Task.yield() }
    }

    // MARK: - Closed

    /// Expects `.closed`, which says what to do.
    private func expectClosed(
        _ what: String, _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async {
        let error = await #expect(throws: StoreError.self, "\(what)", sourceLocation: location) { try await body() }
        #expect(error?.code == .closed, "\(what): \(error as Any)", sourceLocation: location)
        #expect(error?.message.contains("views") == true, "\(what): \(error as Any)", sourceLocation: location)
    }

    @Test(arguments: [ValueReading.positioned, .mapped])
    func aViewOfAClosedStoreSaysSo(reading: ValueReading) async throws {
        let store = try await make(reading)
        let view = try store.readView()
        try await store.close()
        for form in Form.allCases { await expectClosed("\(form)") { _ = try await form.read(view) } }

        let reader = try await ReadOnlyStore.open(at: directory.path("store"))
        let read = try reader.readView()
        reader.close()
        for form in Form.allCases { await expectClosed("read only, \(form)") { _ = try await form.read(read) } }
        await expectClosed("refresh") { try await reader.refresh() }
        await expectClosed("a feed") { for try await _ in reader.changes() {} }
        await expectClosed("a feed") { for try await _ in store.changes() {} }
    }

    /// In the middle of each walk: between two pages, and between the records of a page.
    @Test(arguments: [1, 5, 17, 100])
    func aWalkOfAStoreThatIsClosedMeanwhileSaysSo(after: Int) async throws {
        func walk(_ what: String, _ body: (ReadView, _ next: () throws -> Void) async throws -> Void) async throws {
            let store = try await Store.open(at: directory.path("store"), configuration: configuration(.positioned))
            var count = 0
            await expectClosed(what) {
                try await body(try store.readView()) {
                    count += 1
                    if count == after { try store.blocking.close() }
                }
            }
            #expect(count >= after, "\(what)")
            try await store.close()
        }
        try await make(.positioned).close()
        try await walk("forEachEntry") { view, next in
            try view.scan().forEachEntry { _ in
                try next()
                return .next
            }
        }
        try await walk("forEach") { view, next in
            try view.scan(reversed: true).forEach { _, _ in
                try next()
                return .next
            }
        }
        try await walk("forEachKey") { view, next in
            try view.scan().forEachKey { _ in
                try next()
                return .next
            }
        }
        try await walk("scan") { view, next in
            for try await _ in view.scan() { try next() }
        }
        try await walk("pages") { view, next in
            var rest: KeyRange? = .all
            while let range = rest {
                let page = try view.entries(in: range, reversed: false, limit: 1)
                rest = page.next
                try next()
            }
        }
    }

    @Test func aTransactionOfAStoreThatIsClosedMeanwhileSaysSo() async throws {
        let store = try await make(.positioned)
        await expectClosed("a transaction") {
            try await store.transaction { transaction throws in
                #expect(try transaction.get("key 1") == Self.value(1))
                try await store.close()
                await expectClosed("get") { _ = try transaction.get("key 1") }
                await expectClosed("fetch") { _ = try await transaction.fetch("key 1") }
                await expectClosed("withValue") {
                    _ = try transaction.withEntry("key 1") { value, _, _ in value.byteCount }
                }
                await expectClosed("entries") { _ = try transaction.entries(in: .all, limit: 3) }
                await expectClosed("count") { _ = try transaction.count() }
                try transaction.put("key 1", "new")
            }
        }
    }

    /// Readers on threads, while the store is released or closed: each value is right, or the store is closed. Files
    /// that are opened meanwhile get the numbers of those that are closed.
    @Test(arguments: [false, true])
    func noReaderGetsAnotherFilesBytes(isClosed: Bool) async throws {
        try await make(.positioned).close()
        let other = directory.path("another file")
        try TemporaryDirectory.write([UInt8](repeating: 0xEE, count: 100_000), to: other)
        for _ in 0..<10 {
            var store: Store? = try await Store.open(
                at: directory.path("store"), configuration: configuration(.positioned))
            let view = try #require(store).readView()
            let (reads, isOver) = (Locked(0), Locked(false))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for reader in 0..<3 {
                    group.addTask {
                        await BlockingPool.run {
                            var number = reader
                            while !isOver.withLock({ $0 }) {
                                number = (number + 7) % 141
                                do throws(StoreError) {
                                    #expect(try view.get(Self.keys[number]) == Self.value(number))
                                } catch {
                                    #expect(error.code == .closed && isClosed, "\(error)")
                                }
                                reads.withLock { $0 += 1 }
                            }
                        }
                    }
                }
                while reads.withLock({ $0 }) < 100 { await Task.yield() }
                if isClosed { try await store?.close() }
                store = nil
                let opened = try (0..<20).map { _ in try POSIXFileSystem().openFile(other, for: .read) }
                let sofar = reads.withLock { $0 }
                while reads.withLock({ $0 }) < sofar + 100 { await Task.yield() }
                isOver.withLock { $0 = true }
                withExtendedLifetime(opened) {}
                try await group.waitForAll()
            }
        }
    }
}

extension VersionedIndex {
    fileprivate func newest(of key: String) -> Version? { lend(Array(key.utf8)) { newest($0) } }
}
