import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// Pages, counts and removals of ranges, compared with a dictionary.
@Suite struct RangeTests {
    private static let now: UInt64 = 1_700_000_000_000
    private let clock = ManualClock(milliseconds: now)
    private let store: Store

    init() throws {
        var configuration = Store.Configuration(in: InMemoryFileSystem())
        configuration.clock = clock
        store = try Store(openingAt: "/store", configuration: configuration)
    }

    /// What a reader sees: keys with values.
    private typealias Contents = [[UInt8]: [UInt8]]

    private static let keys: [[UInt8]] =
        (0..<40).map { Array("key/\($0)".utf8) } + [[0], [0, 0], [0xFF], [0xFF, 0xFF]]

    private func range(_ random: inout SeededRandom) -> KeyRange {
        func bound() -> KeyBound {
            var key = random.pick(Self.keys)
            if random.oneIn(4) { key.append(0) }
            return random.pick([.unbounded, .included(key), .included(key), .excluded(key), .excluded(key)])
        }
        return random.oneIn(5)
            ? .prefix(random.pick(["key/1", "key/", "k", ""]))
            : KeyRange(
                lower: bound(), upper: bound())
    }

    private func expected(_ contents: Contents, _ range: KeyRange, reversed: Bool) -> [[UInt8]] {
        let keys = contents.keys.filter { key in key.withUnsafeBytes { range.contains($0) } }
            .sorted { $0.lexicographicallyPrecedes($1) }
        return reversed ? keys.reversed() : keys
    }

    /// Expects that a page has the first keys of a range, with their values.
    private func expect(
        _ page: EntryPage, of contents: Contents, _ range: KeyRange, reversed: Bool, limit: Int, _ seed: UInt64
    ) {
        let keys = expected(contents, range, reversed: reversed)
        #expect(page.entries.map(\.key) == Array(keys.prefix(limit)), "seed \(seed)")
        #expect(page.entries.map(\.value) == keys.prefix(limit).map { contents[$0]! }, "seed \(seed)")
        let rest = page.next.map { expected(contents, $0, reversed: reversed) } ?? []
        #expect(rest == Array(keys.dropFirst(limit)), "seed \(seed)")
        #expect(page.next == nil || page.entries.count == limit, "seed \(seed)")
    }

    /// Puts, removes and lets expire, in the store and in the dictionary.
    private func change(_ contents: inout Contents, _ random: inout SeededRandom) async throws {
        for _ in 0..<random.number(in: 1...20) {
            let key = random.pick(Self.keys)
            let value = ValuePattern(identity: random.next(), length: random.below(200)).bytes
            switch random.below(6) {
            case 0:
                try await store.remove(key, durability: .buffered)
                contents[key] = nil
            case 1:
                try await store.put(
                    key, value, expires: .at(Timestamp(milliseconds: Self.now - 1)), durability: .buffered)
                contents[key] = nil
            default:
                let expires: Expiry = random.oneIn(4) ? .after(.seconds(60)) : .never
                try await store.put(key, value, expires: expires, durability: .buffered)
                contents[key] = value
            }
        }
    }

    /// More keys than a count walks over at a time.
    @Test func aCountOfManyKeys() async throws {
        try await store.write { batch in
            for number in 0..<10_000 { batch.put("\(100_000 + number)", "") }
        }
        #expect(try store.scan().count() == 10_000)
        #expect(try store.scan(.range(from: "100001", to: "108193")).count() == 8_192)
        #expect(try store.scan(.prefix("z")).count() == 0)
        try await store.close()
        await expectError(.closed) { _ = try store.scan().count() }
    }

    @Test func limitsBelowOneAreRefused() async throws {
        let view = try store.readView()
        for limit in [0, -1, .min] {
            await expectError(.invalidArgument) { _ = try await store.fetchEntries(limit: limit) }
            await expectError(.invalidArgument) { _ = try view.entries(in: .all, reversed: false, limit: limit) }
            #expect(try store.scan(limit: limit).entries().isEmpty && store.scan(limit: limit).count() == 0)
            #expect(try Array(store.scan(limit: limit).keys).isEmpty)
            for try await _ in store.scan(limit: limit) { Issue.record("an entry") }
            try store.scan(limit: limit).forEach { _, _ in throw StoreError.closed }
            try store.scan(limit: limit).forEachKey { _ in throw StoreError.closed }
            await expectError(.invalidArgument) { try await store.remove(in: .all, limit: limit) }
            await expectError(.invalidArgument) {
                try await store.transaction { _ = try $0.entries(limit: limit) }
            }
        }
        try await store.close()
        await expectError(.closed) { _ = try await store.fetchEntries(limit: 1) }
        await expectError(.closed) { _ = try store.scan().entries() }
        await expectError(.closed) { _ = try store.scan().keys }
        await expectError(.closed) { for try await _ in store.scan() {} }
        await expectError(.closed) { try store.scan().forEach { _, _ in .next } }
        await expectError(.closed) { try await store.remove(in: .all) }
    }

    /// The keys of a range, as text.
    private func keys(_ range: KeyRange, reversed: Bool = false) throws -> [String] {
        try store.scan(range, reversed: reversed).keys.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func aRangeAfterAKeyExcludesItAndAllBeforeIt() async throws {
        for key in ["a", "user:1", "user:1\u{0}", "user:2", "user:3", "z"] { try await store.put(key, "") }
        #expect(try keys(.after("user:2")) == ["user:3", "z"])
        #expect(try keys(.prefix("user:").after("user:1")) == ["user:1\u{0}", "user:2", "user:3"])
        #expect(try keys(.prefix("user:").after("user:3")) == [])
        #expect(try keys(.prefix("user:").after("z")) == [])
        #expect(try keys(.prefix("user:").after("a")) == ["user:1", "user:1\u{0}", "user:2", "user:3"])
        #expect(try keys(.prefix("user:").before("user:2"), reversed: true) == ["user:1\u{0}", "user:1"])
        #expect(try keys(.prefix("user:").before("z")) == ["user:1", "user:1\u{0}", "user:2", "user:3"])
        #expect(try keys(.prefix("user:").before("a")) == [])
        #expect(try keys(.range(from: "user:1", to: "user:3").after("user:1").before("user:2")) == ["user:1\u{0}"])
        #expect(try keys(.all.after([UInt8]())) == keys(.all))
    }

    @Test func aWalkOverKeysOutlivesItsStore() async throws {
        try await store.write { batch in
            for number in 0..<100 { batch.put("key \(number)", "") }
        }
        var walk = try store.scan().keys.makeIterator()
        #expect(walk.next() != nil)
        try await store.close()
        #expect(IteratorSequence(walk).count(where: { _ in true }) == 99, "it ended early without an error")
    }

    @Test func viewsOfStringsAreKeysAndValues() async throws {
        let line = "key=välue"
        let parts = line.split(separator: "=")
        try await store.put(parts[0], parts[1])
        try await store.put("b".utf8, parts[1].utf8)
        #expect(try store.get("key") == Array("välue".utf8))
        #expect(try store.get("b") == Array("välue".utf8))
    }

    // MARK: - Transactions

    /// What another task changes during the first run of a transaction.
    private func overtake(_ key: [UInt8]) async throws {
        let store = store
        _ = try await Task.detached { try await store.put(key, "overtaken", durability: .buffered) }.value
    }

    /// Whether a page, a count or a removal has read a key.
    ///
    /// - Parameter last: The last key of a page that is full.
    private func hasRead(_ key: [UInt8], _ range: KeyRange, through last: [UInt8]?, reversed: Bool) -> Bool {
        guard key.withUnsafeBytes({ range.contains($0) }) else { return false }
        guard let last else { return true }
        return key == last || key.lexicographicallyPrecedes(last) != reversed
    }

    /// Writes in a transaction: puts, some of them already expired, and removals.
    private func write(
        _ changes: inout [[UInt8]: [UInt8]?], _ transaction: Transaction, _ random: inout SeededRandom
    ) throws {
        for _ in 0..<random.below(8) {
            let key = random.pick(Self.keys)
            let value = Array("own \(random.below(1_000))".utf8)
            switch random.below(4) {
            case 0:
                try transaction.remove(key)
                changes[key] = .some(nil)
            case 1:
                try transaction.put(key, value, expires: .at(Timestamp(milliseconds: Self.now - 1)))
                changes[key] = .some(nil)
            default:
                try transaction.put(key, value, expires: random.oneIn(4) ? .after(.seconds(60)) : .never)
                changes[key] = value
            }
        }
    }

    private func applying(_ changes: [[UInt8]: [UInt8]?], to contents: Contents) -> Contents {
        contents.merging(changes.compactMapValues { $0 }) { $1 }.filter { changes[$0.key] != .some(nil) }
    }

    /// A transaction sees the store with its own writes, in both directions. It runs again exactly if it writes, and
    /// another task has changed a key that it has read.
    @Test func aTransactionSeesItsOwnWritesAndDependsOnlyOnWhatItReads() async throws {
        var seeds = SplitMix64(fromEnvironmentFor: "RangeTests.transactions")
        var contents: Contents = [:]
        var reruns = 0
        for _ in 0..<300 {
            let seed = seeds.next()
            var random = SeededRandom(seed)
            try await change(&contents, &random)
            let other = random.pick(Self.keys)
            var runs = 0
            var isRead = false
            var changes: [[UInt8]: [UInt8]?] = [:]
            let base = contents
            try await store.transaction(durability: .buffered) { transaction in
                runs += 1
                changes = [:]
                var random = SeededRandom(seed, 1)
                try write(&changes, transaction, &random)
                let isOvertaken = runs > 1
                var seen = base
                if isOvertaken { seen[other] = Array("overtaken".utf8) }
                let hasRead = try await read(&changes, seen, transaction, other, &random, seed)
                try write(&changes, transaction, &random)
                if isOvertaken { return }
                isRead = hasRead && !changes.isEmpty
                try await overtake(other)
            }
            #expect(runs == (isRead ? 2 : 1), "seed \(seed)")
            reruns += runs - 1
            contents[other] = Array("overtaken".utf8)
            contents = applying(changes, to: contents)
            expect(
                try await store.fetchEntries(limit: .max), of: contents, .all, reversed: false, limit: .max, seed)
        }
        #expect(reruns > 30 && reruns < 270)
        try await store.close()
    }

    /// Reads or removes a range in a transaction. Returns whether a key was read.
    private func read(
        _ changes: inout [[UInt8]: [UInt8]?], _ base: Contents, _ transaction: Transaction, _ other: [UInt8],
        _ random: inout SeededRandom, _ seed: UInt64
    ) async throws -> Bool {
        let seen = applying(changes, to: base)
        let range = range(&random)
        let reversed = random.oneIn(2)
        let limit = random.pick([1, 2, 3, 5, 20, 100])
        let keys = expected(seen, range, reversed: reversed)
        let page: EntryPage
        switch random.below(5) {
        case 0:
            #expect(try transaction.count(in: range) == keys.count, "seed \(seed)")
            return hasRead(other, range, through: nil, reversed: false)
        case 1:
            let first = expected(seen, range, reversed: false).prefix(limit)
            #expect(try await transaction.remove(in: range, limit: limit) == first.count, "seed \(seed)")
            for key in first { changes[key] = .some(nil) }
            return hasRead(other, range, through: first.count == limit ? first.last : nil, reversed: false)
        case 2:
            #expect(try await transaction.remove(in: range) == keys.count, "seed \(seed)")
            for key in keys { changes[key] = .some(nil) }
            return hasRead(other, range, through: nil, reversed: false)
        case 3: page = try transaction.entries(in: range, reversed: reversed, limit: limit)
        default: page = try await transaction.fetchEntries(in: range, reversed: reversed, limit: limit)
        }
        expect(page, of: seen, range, reversed: reversed, limit: limit, seed)
        for entry in page.entries { #expect((entry.sequence == 0) == (changes[entry.key] != nil), "seed \(seed)") }
        return hasRead(
            other, range, through: page.entries.count == limit ? page.entries.last?.key : nil, reversed: reversed)
    }

    // MARK: - Removals

    @Test func aRemovalOfARangeRemovesTheKeysThatExist() async throws {
        try await store.write { batch in
            for number in 0..<3_000 { batch.put("a/\(10_000 + number)", "") }
            batch.put("a/expired", "", expires: .at(Timestamp(milliseconds: Self.now - 1)))
            batch.put("b", "")
        }
        let view = try store.readView()
        let first = try await store.remove(in: .prefix("a/"), limit: 1_000, durability: .written)
        #expect(first.value == 1_000 && first.sequence == view.sequence + 1)
        #expect(try store.contains("a/10999") == false && store.contains("a/11000"))
        let rest = try await store.remove(in: .prefix("a/"))
        #expect(rest.value == 2_000 && rest.sequence == view.sequence + 2)
        #expect(try store.scan().keys.map { $0 } == [Array("b".utf8)])
        #expect(try view.scan().count() == 3_001)
        let nothing = try await store.remove(in: .prefix("a/"))
        #expect(nothing.value == 0 && nothing.sequence == rest.sequence)
        try await store.close()
    }

    /// Writers that are faster than a removal never lose a key that they put after it, and the removal leaves none that
    /// it counted.
    @Test func removalsAndWritesOfOtherTasksAreInOneOrder() async throws {
        let store = store
        try await concurrently(0..<4) { task in
            for number in 0..<100 {
                let key = "n/\(task)/\(number)"
                let sequence = try await store.put(key, "", durability: .buffered)
                if number % 10 == task {
                    let removal = try await store.remove(in: .prefix("n/\(task)/"), durability: .buffered)
                    #expect(removal.value >= 1 && removal.sequence > sequence)
                    #expect(try store.scan(.prefix("n/\(task)/")).count() == 0)
                }
            }
        }
        #expect(try store.scan(.prefix("n/")).count() == (0..<4).reduce(0) { $0 + 9 - $1 })
        try await store.close()
    }

    @Test func aBlockingRemoval() throws {
        try store.blocking.put("a/1", "")
        try store.blocking.put("a/2", "")
        try store.blocking.put("b", "")
        #expect(try store.blocking.remove(in: .prefix("a/"), limit: 1).value == 1)
        #expect(try store.blocking.remove(in: .prefix("a/"), durability: .written).value == 1)
        #expect(try store.scan().count() == 1)
        try store.blocking.close()
    }
}
