import Synchronization
import Testing

@testable import Heartwood

extension Store {
    /// Methods that a user may add to the actor, called with `await`.
    func statisticsOnTheActor() -> Statistics { statistics }

    func assertIsolatedNow() { assertIsolated() }

    func putOnTheActor(_ key: String) async throws -> (before: Int, after: Int) {
        let before = statistics.keys
        try await put(key, "value")
        try await put(key + "'", "value", durability: .buffered)
        try await write { batch in batch.remove(key) }
        assertIsolated()
        return (before, statistics.keys)
    }

    /// Writes and reads without leaving the actor, and doesn't return before `body` does.
    func putBlockingOnTheActor(_ key: String, _ body: () -> Void) throws -> [UInt8]? {
        for durability in [Durability.synced, .written, .buffered] {
            try blocking.put(key, "\(durability)", durability: durability)
        }
        body()
        return try get(key)
    }
}

/// The log's actor, whose executor is a lock, and the store's actor, to which users may isolate methods.
@Suite struct LogExecutorConcurrencyTests {
    @Test func usersOwnMethodsRunOnTheActor() async throws {
        let store = try Store.inMemory()
        try await store.put("key", "value")
        #expect(await store.statisticsOnTheActor().keys == 1)
        await store.assertIsolatedNow()
        try await store.close()
    }

    @Test func usersOwnMethodsMayWrite() async throws {
        let store = try Store.inMemory()
        let (before, after) = try await store.putOnTheActor("key")
        #expect(before == 0 && after == 1)
        try await store.close()
    }

    /// Other writes are accepted and written while a user's method occupies the store's actor.
    @Test func usersOwnMethodsBlockNoWriter() async throws {
        let store = try Store.inMemory()
        let value = try await store.putBlockingOnTheActor("key") {
            for number in 0..<100 { _ = try? store.blocking.put("other \(number)", "value") }
        }
        #expect(value == Array("buffered".utf8))
        #expect(store.statistics.keys == 101)
        try await store.close()
    }

    @Test func methodsOnTheActorAndWritesAlternate() async throws {
        let store = try Store.inMemory()
        try await concurrently(0..<4) { task in
            for number in 0..<200 {
                try await store.put("\(task):\(number)", "value", durability: .buffered)
                if number % 10 == 0 { await store.assertIsolatedNow() }
            }
        }
        #expect(await store.statisticsOnTheActor().keys == 800)
        try await store.close()
    }

    @Test func theLockIsExclusive() async throws {
        let store = try Store.inMemory()
        final class Counters: Sendable {
            let inside = Atomic(0)
            let total = Atomic(0)
        }
        let executor = store.log.executor
        let counters = Counters()
        try await concurrently(0..<4) { task in
            for _ in 0..<2_000 {
                let count = {
                    if counters.inside.wrappingAdd(1, ordering: .relaxed).oldValue == 0 {
                        counters.total.add(1, ordering: .relaxed)
                    }
                    counters.inside.subtract(1, ordering: .relaxed)
                }
                if task == 0 { executor.withState { _ in count() } } else { executor.run(count) }
            }
        }
        #expect(counters.total.load(ordering: .relaxed) == 8_000)
        try await store.close()
    }
}
