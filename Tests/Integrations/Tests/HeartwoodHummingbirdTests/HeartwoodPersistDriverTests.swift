import Foundation
import Heartwood
import HeartwoodHummingbird
import Hummingbird
import ServiceLifecycleTestKit
import Testing

/// What the driver on a store does beyond Hummingbird's own.
@Suite struct HeartwoodPersistDriverTests {
    @Test func valuesAndExpiriesSurviveReopening() async throws {
        let clock = TestClock()
        var configuration = Store.Configuration()
        configuration.clock = clock
        configuration.storage = .inMemory()
        var store = try Store(openingAt: "/store", configuration: configuration)
        var persist = HeartwoodPersistDriver(store)
        try await persist.set(key: "session", value: Profile(name: "Ada"), expires: .seconds(60))
        try await persist.create(key: "gone", value: Profile(name: "Bob"), expires: .seconds(5))
        try await persist.create(key: "kept", value: Profile(name: "Cid"))
        try await store.close()

        clock.advance(by: .seconds(20))
        store = try Store(openingAt: "/store", configuration: configuration)
        persist = HeartwoodPersistDriver(store)
        let session = try #require(try await persist.getWithTTL(key: "session", as: Profile.self))
        #expect(session.object == Profile(name: "Ada"))
        #expect(session.ttl == .seconds(40))
        #expect(try await persist.get(key: "gone", as: Profile.self) == nil)
        await #expect(throws: PersistError.duplicate) {
            try await persist.create(key: "kept", value: Profile(name: "Eve"))
        }
        try await store.close()
    }

    @Test func sessionsEndAfterTheClockWasAhead() async throws {
        let clock = TestClock()
        let persist = HeartwoodPersistDriver(try Store.inMemory(clock))
        let year = Duration.seconds(365 * 86_400)
        clock.advance(by: year)
        try await persist.set(key: "a", value: 1, expires: .seconds(60))
        clock.advance(by: .zero - year)
        try await persist.set(key: "b", value: 2, expires: .seconds(60))
        clock.advance(by: .seconds(40))
        for key in ["a", "b"] {
            #expect(try await persist.getWithTTL(key: key, as: Int.self)?.ttl == .seconds(20))
        }
        clock.advance(by: .seconds(20))
        for key in ["a", "b"] { #expect(try await persist.get(key: key, as: Int.self) == nil) }
        // It was seen expired.
        clock.advance(by: .seconds(-3_600))
        try await persist.create(key: "a", value: 3)
    }

    @Test func anExpiredKeyIsCreatedAgain() async throws {
        let clock = TestClock()
        let persist = HeartwoodPersistDriver(try Store.inMemory(clock))
        try await persist.create(key: "a", value: 1, expires: .seconds(5))
        clock.advance(by: .seconds(6))
        try await persist.create(key: "a", value: 2)
        #expect(try await persist.get(key: "a", as: Int.self) == 2)
        // The new value doesn't inherit the expiry of the old one.
        clock.advance(by: .seconds(600))
        #expect(try await persist.get(key: "a", as: Int.self) == 2)
    }

    @Test func anExpiredKeyIsSetForEver() async throws {
        let clock = TestClock()
        let persist = HeartwoodPersistDriver(try Store.inMemory(clock))
        try await persist.set(key: "a", value: 1, expires: .seconds(5))
        clock.advance(by: .seconds(6))
        try await persist.set(key: "a", value: 2)
        #expect(try await persist.get(key: "a", as: Int.self) == 2)
        #expect(try await persist.getWithTTL(key: "a", as: Int.self)?.ttl == nil)
    }

    @Test func driversWithOtherPrefixesShareAStore() async throws {
        let store = try Store.inMemory()
        let sessions = HeartwoodPersistDriver(store, prefix: "sessions/")
        let limits = HeartwoodPersistDriver(store, prefix: "limits/")
        try await sessions.create(key: "a", value: 1)
        try await limits.create(key: "a", value: 2)
        try await sessions.remove(key: "a")
        #expect(try await limits.get(key: "a", as: Int.self) == 2)
        #expect(try store.scan().keys.map { String(decoding: $0, as: UTF8.self) } == ["limits/a"])
    }

    @Test func aKeyThatIsTooLongIsRefused() async throws {
        let persist = HeartwoodPersistDriver(try Store.inMemory())
        let key = String(repeating: "k", count: 70_000)
        let error = await #expect(throws: StoreError.self) { try await persist.set(key: key, value: 1) }
        #expect(error?.code == .invalidArgument)
        let other = await #expect(throws: StoreError.self) { try await persist.get(key: key, as: Int.self) }
        #expect(other?.code == .invalidArgument)
    }

    @Test func everyExpiryAndValueIsKeptOrRefused() async throws {
        let persist = HeartwoodPersistDriver(try Store.inMemory(TestClock()))
        for expires in [.seconds(Int64.max), .seconds(Int64.max) * 10, .milliseconds(UInt64.max)] as [Duration] {
            try await persist.set(key: "late", value: UInt64.max, expires: expires)
            let found = try #require(try await persist.getWithTTL(key: "late", as: UInt64.self))
            #expect(found.object == .max && (found.ttl ?? .zero) > .seconds(1_000_000_000_000))
        }
        for expires in [.zero, .seconds(Int64.min), .seconds(Int64.min) * 10] as [Duration] {
            try await persist.set(key: "past", value: 1, expires: expires)
            #expect(try await persist.get(key: "past", as: Int.self) == nil)
        }
        for value in [Double.nan, .infinity] {
            await #expect(throws: EncodingError.self) { try await persist.set(key: "a", value: value) }
        }
        await #expect(throws: EncodingError.self) { try await persist.set(key: "a", value: Decimal.nan) }
        #expect(try await persist.get(key: "a", as: Double.self) == nil)
    }

    /// Writers without an expiry keep it, whatever other writers do at the same time.
    @Test func concurrentSetsKeepTheExpiry() async throws {
        let store = try Store.inMemory(TestClock())
        let persist = HeartwoodPersistDriver(store)
        try await persist.set(key: "a", value: 0, expires: .seconds(100))
        try await withThrowingTaskGroup { group in
            for task in 1...8 {
                group.addTask {
                    for round in 0..<25 { try await persist.set(key: "a", value: task * 100 + round) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await persist.getWithTTL(key: "a", as: Int.self)?.ttl == .seconds(100))
    }

    @Test func gracefulShutdownEndsTheServiceAndLeavesTheStoreOpen() async throws {
        let store = try Store.inMemory()
        let persist = HeartwoodPersistDriver(store)
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup { group in
                group.addTask { try await persist.run() }
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
        try await persist.set(key: "a", value: 1)
        #expect(try await persist.get(key: "a", as: Int.self) == 1)
        #expect(store.statistics.state == .ready)
    }

    @Test func aClosedStoreIsReported() async throws {
        let store = try Store.inMemory()
        let persist = HeartwoodPersistDriver(store)
        try await store.close()
        let error = await #expect(throws: StoreError.self) { try await persist.create(key: "a", value: 1) }
        #expect(error?.code == .closed)
    }
}
