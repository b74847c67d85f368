import Foundation
import Heartwood
import HeartwoodFoundation
import Synchronization
import Testing

/// Tests of the recipes in Documentation/Cookbook.md, Reading.md and Transactions.md.
@Suite struct CookbookTests {
    private final class Clock: StoreClock {
        private let time = Atomic(UInt64(1_000_000))

        func now() -> Timestamp { Timestamp(milliseconds: time.load(ordering: .relaxed)) }
        func pass(minutes: UInt64) { time.add(minutes * 60_000, ordering: .relaxed) }
    }

    private let clock = Clock()
    private let store: Store

    init() throws {
        var configuration = Store.Configuration()
        configuration.clock = clock
        store = try .inMemory(configuration: configuration)
    }

    @Test func sessionsExpireUnlessTheyAreUsed() async throws {
        let sessions = Sessions(store: store)
        try await sessions.begin("1", user: "Ada")
        clock.pass(minutes: 20)
        #expect(try await sessions.use("1") == "Ada")
        clock.pass(minutes: 20)
        #expect(try await sessions.use("1") == "Ada")
        #expect(try sessions.end(of: "1") == clock.now() + .seconds(30 * 60))
        clock.pass(minutes: 30)
        #expect(try await sessions.use("1") == nil)
        #expect(try sessions.end(of: "1") == nil)
    }

    @Test func countersCountEveryCall() async throws {
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<50 { _ = try await count("visits", in: store) } }
            }
            try await group.waitForAll()
        }
        #expect(try await count("visits", adding: 0, in: store) == 400)
    }

    @Test func aLeaseHasOneHolder() async throws {
        let hour = Duration.seconds(3_600)
        var lease = try #require(try await Lease.take("leader", for: "a", hour, in: store))
        #expect(try await Lease.take("leader", for: "b", hour, in: store) == nil)
        clock.pass(minutes: 50)
        try await lease.renew(for: hour)
        clock.pass(minutes: 50)
        #expect(try await Lease.take("leader", for: "b", hour, in: store) == nil)
        clock.pass(minutes: 10)
        let next = try #require(try await Lease.take("leader", for: "b", hour, in: store))
        await #expect(throws: StoreError.self) { try await lease.renew(for: hour) }
        await #expect(throws: StoreError.self) { try await lease.release() }
        try await next.release()
        #expect(try await Lease.take("leader", for: "a", hour, in: store) != nil)
    }

    @Test func pagesFollowEachOther() async throws {
        let names = (10..<35).map { "name \($0)" }
        try await store.write { batch in
            for name in names { batch.put("user:\(name)", "") }
            batch.put("user;", "")
        }
        var seen: [String] = []
        var page = try users(after: nil, size: 10, in: store)
        while let last = page.last {
            seen += page
            page = try users(after: last, size: 10, in: store)
        }
        #expect(seen == names)
    }

    @Test func messagesAreReadInPagesAndRemoved() async throws {
        for number in 100..<125 { try await store.put("message:a:\(number)", "\(number)") }
        try await store.put("message:b:100", "other")
        let pages = try await messages(of: "a", pageSize: 10, in: store)
        #expect(pages.map(\.count) == [10, 10, 5])
        let newestFirst = (100..<125).reversed().map { "\($0)" }
        #expect(pages.flatMap(\.self) == newestFirst)
        #expect(try await removeMessages(of: "a", in: store) == 25)
        #expect(try await messages(of: "b", pageSize: 1, in: store) == [["other"]])
    }

    @Test func anOrderNeedsThePriceThatWasShown() async throws {
        try await store.put("price", "1")
        try await store.put("item:7:a", "")
        var view = try store.readView()
        #expect(try await order(7, shown: view, in: store) != nil)
        #expect(try await order(7, shown: view, in: store) != nil)
        try await store.put("price", "2")
        #expect(try await order(7, shown: view, in: store) == nil)
        view = try store.readView()
        try await store.put("item:7:b", "")
        #expect(try await order(7, shown: view, in: store) == nil)
        #expect(try store.get("order:7") == Array("1 items".utf8))
    }

    @Test func identifiersAreReadBackInOrder() async throws {
        let id = try await addPhoto(Data([1, 2, 3]), to: store)
        #expect(try photos(in: store) == [id])
        #expect(try store.get(id) == [1, 2, 3])
        for number in 1...300 { #expect(try await addEvent("event \(number)", to: store) == number) }
        var events: [String] = []
        for entry in try store.scan(.prefix("event:")).entries() {
            events.append(String(decoding: entry.value, as: UTF8.self))
        }
        #expect(events == (1...300).map { "event \($0)" })
    }

    @Test func modelsAreReadBack() async throws {
        let ada = User(name: "Ada", age: 36)
        try await store.save(ada, as: "user:ada")
        #expect(try await store.load(User.self, from: "user:ada") == ada)
        #expect(try await store.load(User.self, from: "user:bob") == nil)
    }
}
