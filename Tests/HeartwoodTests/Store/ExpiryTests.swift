import Heartwood
import HeartwoodCampaignSupport
import Testing

/// Changing and reading the expiry of a key.
@Suite struct ExpiryTests {
    private let clock = ManualClock(milliseconds: 1_000)
    private let store: Store

    init() throws {
        var configuration = Store.Configuration()
        configuration.clock = clock
        store = try .inMemory(configuration: configuration)
    }

    private func end(_ milliseconds: UInt64) -> Expiry { .at(Timestamp(milliseconds: milliseconds)) }

    private func touchBlocking(_ key: String, expires: Expiry) throws -> SequenceNumber? {
        try store.blocking.touch(key, expires: expires)
    }

    @Test func touchingKeepsTheValue() async throws {
        try await store.put("a", "value", expires: end(2_000))
        let number = try await store.touch("a", expires: end(9_000))
        #expect(number == 2)
        #expect(try store.entry("a")?.value == Array("value".utf8))
        #expect(try store.entry("a")?.expires == Timestamp(milliseconds: 9_000))
        try await store.touch("a", expires: .never)
        #expect(try store.expiry(of: "a") == .never)
        try await store.touch("a", expires: .after(.seconds(1)))
        #expect(try store.expiry(of: "a") == end(2_000))
        #expect(try touchBlocking("a", expires: end(3_000)) == 5)
        clock.set(3_000)
        #expect(try store.get("a") == nil)
    }

    @Test func missingAndExpiredKeysAreNotTouched() async throws {
        #expect(try await store.touch("a", expires: .never) == nil)
        #expect(try touchBlocking("a", expires: .never) == nil)
        try await store.put("a", "1", expires: end(2_000))
        clock.set(2_000)
        #expect(try await store.touch("a", expires: end(9_000)) == nil)
        #expect(try store.get("a") == nil)
        #expect(store.statistics.lastSequence == 1)
        await expectError(.invalidArgument) { try await store.touch("", expires: .never) }
        try await store.close()
        await expectError(.closed) { try await store.touch("a", expires: .never) }
    }

    @Test func touchingIsAtomic() async throws {
        try await store.put("a", "0")
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<200 { try await store.touch("a", expires: .after(.seconds(60))) } }
            group.addTask { for number in 1...200 { try await store.put("a", String(number)) } }
            try await group.waitForAll()
        }
        #expect(try store.get("a") == Array("200".utf8), "a touch restored an old value")
    }

    @Test func anExpiryIsReadWithoutTheValue() async throws {
        #expect(try store.expiry(of: "a") == nil)
        try await store.put("a", "1")
        try await store.put("b", "2", expires: end(5_000))
        #expect(try store.expiry(of: "a") == .never)
        #expect(try store.expiry(of: "a")?.timestamp == nil)
        #expect(try store.expiry(of: "b")?.timestamp == Timestamp(milliseconds: 5_000))
        let view = try store.readView()
        try await store.remove("a")
        clock.set(5_000)
        #expect(try store.expiry(of: "a") == nil)
        #expect(try store.expiry(of: "b") == nil)
        #expect(try view.expiry(of: "a") == .never)
        #expect(try view.expiry(of: "b") == end(5_000))
        #expect(throws: StoreError.self) { try store.expiry(of: "") }
        try await store.close()
        await expectError(.closed) { _ = try store.expiry(of: "b") }
        await expectError(.closed) { _ = try view.expiry(of: "b") }
    }

    @Test func aTransactionTouchesAndReadsExpiries() async throws {
        try await store.put("a", "1", expires: end(5_000))
        try await store.transaction { transaction in
            #expect(try transaction.expiry(of: "a") == end(5_000))
            #expect(try transaction.expiry(of: "b") == nil)
            #expect(try transaction.touch("a", expires: end(8_000)))
            #expect(try !transaction.touch("b", expires: end(8_000)))
            #expect(try transaction.expiry(of: "a") == end(8_000))
            try transaction.remove("a")
            #expect(try transaction.expiry(of: "a") == nil)
            try transaction.put("a", "2")
            #expect(try transaction.expiry(of: "a") == .never)
            try transaction.touch("a", expires: end(7_000))
        }
        #expect(try store.entry("a")?.value == Array("2".utf8))
        #expect(try store.expiry(of: "a") == end(7_000))
    }
}
