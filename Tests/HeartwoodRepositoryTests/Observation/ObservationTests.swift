import Heartwood
import HeartwoodTesting
import KeyValueStore
import Synchronization
import Testing

@testable import HeartwoodRepository

@Suite struct ObservationTests {
    private func names(_ users: [User]) -> [String] { users.map(\.name) }

    @Test(.timeLimit(.minutes(5)), arguments: TestEngine.allCases)
    func deliversTheStateAndEachNewerOne(_ engine: TestEngine) async throws {
        try await TestStore(engine).withUsers { store, users in
            try await users.save(User(id: 1, name: "Ada", age: 30))
            var one = users.observe(1).makeAsyncIterator()
            #expect(try await one.next()??.name == "Ada")
            var adults = users.observe(Query(where: \.age >= 18, sort: [.ascending(\.age)])).makeAsyncIterator()
            #expect(try await adults.next().map(names) == ["Ada"])
            var count = users.observeCount(Query(where: \.age >= 18)).makeAsyncIterator()
            #expect(try await count.next() == 1)

            try await users.save(User(id: 2, name: "Bob", age: 20))
            #expect(try await adults.next().map(names) == ["Bob", "Ada"])
            #expect(try await count.next() == 2)
            try await users.update(1) { $0.name = "Eve" }
            #expect(try await one.next()??.name == "Eve")
            #expect(try await adults.next().map(names) == ["Bob", "Eve"])
            try await users.delete(1)
            #expect(try await one.next() == .some(nil))
            #expect(try await adults.next().map(names) == ["Bob"])
            #expect(try await count.next() == 1)
        }
    }

    /// What observes or reads results holds the store, so that it isn't released in between.
    @Test(.timeLimit(.minutes(5)))
    func whatObservesKeepsTheStore() async throws {
        var store: Store? = try Store.inMemory()
        weak let released = store
        var users: Repository<User>? = try await store?.repository(User.definition)
        try await users?.save([User(id: 1, name: "Ada"), User(id: 2, name: "Bob")])
        var all = users?.observe(Query(sort: [.ascending(\.name)])).makeAsyncIterator()
        var results = users?.results(of: Query(sort: [.ascending(\.name)])).makeAsyncIterator()
        #expect(try await all?.next().map(names) == ["Ada", "Bob"])
        #expect(try await results?.next()?.name == "Ada")
        (store, users) = (nil, nil)
        #expect(try await results?.next()?.name == "Bob")
        try await released?.repository(User.definition).delete(1)
        #expect(try await all?.next().map(names) == ["Bob"])
        (all, results) = (nil, nil)
        while released != nil { await Task.yield() }
    }

    /// A feed that has lost changes touches every observation: no one knows which of them changed.
    @Test(.timeLimit(.minutes(5)))
    func readsAgainWhatALostChangeMayConcern() async throws {
        let store = LosingStore(try Store.inMemory())
        var values = store.observe("key").makeAsyncIterator()
        #expect(try await values.next() == .some(nil))
        try await store.inner.put("key", "value")
        store.isLost.store(true, ordering: .releasing)
        #expect(try await values.next()??.value == Array("value".utf8))
        try await store.inner.remove("key")
        #expect(try await values.next() == .some(nil))
    }

    @Test(.timeLimit(.minutes(5)), arguments: TestEngine.allCases)
    func observesKeysAndRanges(_ engine: TestEngine) async throws {
        try await TestStore(engine).withStore { store in
            var key = store.observe("a").makeAsyncIterator()
            #expect(try await key.next() == .some(nil))
            var range = store.observe(in: .prefix("a")).makeAsyncIterator()
            #expect(try await range.next()?.isEmpty == true)
            var last = store.observe(in: .prefix("a"), reversed: true, limit: 1).makeAsyncIterator()
            #expect(try await last.next()?.isEmpty == true)
            var count = store.observeCount(in: .prefix("a")).makeAsyncIterator()
            #expect(try await count.next() == 0)
            var batch = WriteBatch()
            batch.put(Array("a".utf8), [1])
            batch.put(Array("ab".utf8), [2])
            batch.put(Array("b".utf8), [3])
            try await store.write(batch, durability: nil)
            #expect(try await key.next()??.value == [1])
            #expect(try await range.next()?.map(\.value) == [[1], [2]])
            #expect(try await last.next()?.map(\.value) == [[2]])
            #expect(try await count.next() == 2)
            let none = store.observe(in: .all, limit: 0)
            _ = await expectError(.invalidArgument) { for try await _ in none {} }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: TestEngine.allCases)
    func aSlowConsumerGetsTheNewestState(_ engine: TestEngine) async throws {
        try await TestStore(engine).withUsers { store, users in
            var one = users.observe(1).makeAsyncIterator()
            #expect(try await one.next() == .some(nil))
            for age in 1...20 { try await users.save(User(id: 1, name: "Ada", age: age)) }
            #expect(try await one.next()??.age == 20)
            // A change that leaves the state as it was makes no element: the next one is that of 21.
            try await users.save(User(id: 2, name: "Bob", age: 1))
            let next = Task { [one] in
                var one = one
                return try await one.next()
            }
            try await Task.sleep(for: .milliseconds(20))
            try await users.save(User(id: 1, name: "Ada", age: 21))
            #expect(try await next.value??.age == 21)
        }
    }

    /// The entry of the index that is observed isn't written again.
    @Test(.timeLimit(.minutes(5)), arguments: TestEngine.allCases)
    func aRecordThatKeepsItsEntriesIsAChange(_ engine: TestEngine) async throws {
        try await TestStore(engine).withUsers { store, users in
            try await users.save([User(id: 1, name: "Ada", age: 30), User(id: 2, name: "Bob", age: 30)])
            let query = Query<User>(where: \.name == "Ada")
            #expect(users.plan(for: query).description.contains("index name"))
            var named = users.observe(query).makeAsyncIterator()
            #expect(try await named.next()?.map(\.visits) == [0])
            try await users.increment(\.visits, of: 1)
            #expect(try await named.next()?.map(\.visits) == [1])
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: TestEngine.allCases)
    func anExpiryIsAChange(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        try await test.withUsers { store, users in
            try await users.save(User(id: 1, name: "Ada", age: 30), expires: .after(.seconds(10)))
            try await users.save(User(id: 2, name: "Bob", age: 31))
            var one = users.observe(1).makeAsyncIterator()
            #expect(try await one.next()??.name == "Ada")
            var all = users.observe(Query<User>()).makeAsyncIterator()
            #expect(try await all.next().map(names) == ["Ada", "Bob"])
            var second = users.observe(Query<User>(offset: 1)).makeAsyncIterator()
            #expect(try await second.next().map(names) == ["Bob"])
            var count = users.observeCount(Query(where: \.age >= 30)).makeAsyncIterator()
            #expect(try await count.next() == 2)
            var keys = store.observeCount(in: .all).makeAsyncIterator()
            let before = try #require(try await keys.next())
            test.clock.advance(seconds: 12)
            #expect(try await one.next() == .some(nil))
            #expect(try await all.next().map(names) == ["Bob"])
            #expect(try await second.next().map(names) == [])
            #expect(try await count.next() == 1)
            #expect(try #require(try await keys.next()) < before)
        }
    }

    /// An engine that only this program writes: others follow the clock.
    @Test(.timeLimit(.minutes(5)), arguments: TestEngine.allCases.filter { [.memory, .disk].contains($0) })
    func anExpiryIsNoticedAfterTheClockWasAhead(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        try await test.withUsers { store, users in
            test.clock.advance(seconds: 365 * 86_400)
            try await users.save(User(id: 1, name: "Ada", age: 30), expires: .after(.seconds(3_600)))
            test.clock.setBack(seconds: 365 * 86_400)
            var one = users.observe(1).makeAsyncIterator()
            #expect(try await one.next()??.name == "Ada")
            test.clock.advance(seconds: 3_600)
            #expect(try await one.next() == .some(nil))
            test.clock.setBack(seconds: 3_600)
            #expect(try await users.find(by: 1) == nil)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: TestEngine.allCases)
    func endsWhenTheStoreIsClosedOrTheTaskCancelled(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        let store = try await test.open()
        let users = try await store.repository(User.definition)
        let cancelled = Task {
            var states = 0
            for try await _ in users.observe(1) { states += 1 }
            return states
        }
        var ended = users.observeCount().makeAsyncIterator()
        #expect(try await ended.next() == 0)
        try await Task.sleep(for: .milliseconds(20))
        cancelled.cancel()
        _ = await expectError(.cancelled) { _ = try await cancelled.value }
        try await TestStore.close(store)
        #expect(try await ended.next() == nil)
        #expect(try await ended.next() == nil)
    }

    /// Without any state, the end would look like one of a store that has nothing.
    @Test(.timeLimit(.minutes(5)), arguments: TestEngine.allCases)
    func aClosedStoreIsAnError(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        let store = try await test.open()
        let users = try await store.repository(User.definition)
        try await TestStore.close(store)
        _ = await expectError(.closed) { for try await _ in users.observe(1) {} }
        _ = await expectError(.closed) { for try await _ in users.observe(Query<User>()) {} }
        _ = await expectError(.closed) { for try await _ in users.observeCount() {} }
        _ = await expectError(.closed) { for try await _ in store.observe("a") {} }
        var keys = store.observe(in: .all).makeAsyncIterator()
        _ = await expectError(.closed) { _ = try await keys.next() }
        #expect(try await keys.next() == nil)
    }

    /// What doesn't decode is an error; the observation can go on when it is gone.
    @Test(.timeLimit(.minutes(5)), arguments: TestEngine.allCases)
    func goesOnAfterAnError(_ engine: TestEngine) async throws {
        try await TestStore(engine).withUsers { store, users in
            try await users.save(User(id: 1, name: "Ada", age: 1))
            var all = users.observe(Query<User>()).makeAsyncIterator()
            #expect(try await all.next()?.count == 1)
            try await users.breakRecord(1, in: store)
            _ = await expectError(.undecodable) { _ = try await all.next() }
            let reported = Reported()
            var left = users.observe(Query<User>(), onUndecodable: { _ in reported.count() }).makeAsyncIterator()
            #expect(try await left.next()?.isEmpty == true)
            #expect(reported.number == 1)
            try await users.delete(1)
            try await users.save(User(id: 1, name: "Eve", age: 2))
            #expect(try await all.next()?.map(\.name) == ["Eve"])
            #expect(try await left.next()?.map(\.name) == ["Eve"])
        }
    }
}

private final class Reported: Sendable {
    private let value = Atomic(0)
    var number: Int { value.load(ordering: .relaxed) }
    func count() { value.add(1, ordering: .relaxed) }
}

extension Repository {
    /// Replaces a record by one that doesn't decode.
    func breakRecord(_ id: Model.ID, in store: any KeyValueStore) async throws {
        var batch = WriteBatch()
        batch.put(try core.key(id), RecordEnvelope(version: 1, groups: []).encoded(with: [0x7B]))
        try await store.write(batch, durability: nil)
    }
}

/// A store whose first feed delivers nothing, and has lost its changes as soon as the test says so.
private final class LosingStore: ReadableKeyValueStore {
    let inner: Store
    let isLost = Atomic(false)
    private let feeds = Atomic(0)

    init(_ inner: Store) { self.inner = inner }

    struct Changes: AsyncSequence, Sendable {
        let feed: Store.Changes
        /// Nil for a feed that loses nothing.
        let store: LosingStore?

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed: feed.makeAsyncIterator(), store: store) }

        struct AsyncIterator: AsyncIteratorProtocol {
            var feed: Store.Changes.AsyncIterator
            let store: LosingStore?

            mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Change? {
                guard let store else { return try await feed.next(isolation: actor) }
                while !store.isLost.load(ordering: .acquiring), !Task.isCancelled { await Task.yield() }
                throw StoreError(.positionUnavailable, "the test has lost the changes")
            }
        }
    }

    func changes(after position: ChangePosition?, in range: KeyRange, level: ChangeLevel) -> Changes {
        let isFirst = feeds.add(1, ordering: .relaxed).oldValue == 0
        return Changes(
            feed: inner.changes(after: position, in: range, level: level), store: isFirst ? self : nil)
    }

    var limits: KeyValueLimits { inner.limits }
    var now: Timestamp { inner.now }

    func readView() async throws(StoreError) -> ReadView { try inner.readView() }

    func readView(for purpose: ViewPurpose) async throws(StoreError) -> ReadView {
        try await inner.readView(for: purpose)
    }

    func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry? { try await inner.fetchEntry(key) }

    func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        try await inner.fetchEntries(of: keys)
    }

    func fetchEntries(in range: KeyRange, reversed: Bool, limit: Int) async throws(StoreError) -> EntryPage {
        try await inner.fetchEntries(in: range, reversed: reversed, limit: limit)
    }

    func fetchCount(in range: KeyRange) async throws(StoreError) -> Int { try await inner.fetchCount(in: range) }
}
