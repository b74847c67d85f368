import Synchronization
import Testing

@testable import Heartwood

extension Store {
    /// What a user may add: a method on the actor, called with `await`.
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
}

/// The actor's executor is a lock.
@Suite struct LockExecutorConcurrencyTests {
    @Test func usersOwnMethodsRunOnTheActor() async throws {
        let store = try Store.inMemory()
        try await store.put("key", "value")
        #expect(await store.statisticsOnTheActor().keys == 1)
        await store.assertIsolatedNow()
        try await store.close()
    }

    /// It waited for itself: the write took the lock that the method's own executor held.
    @Test func usersOwnMethodsMayWrite() async throws {
        let store = try Store.inMemory()
        let (before, after) = try await store.putOnTheActor("key")
        #expect(before == 0 && after == 1)
        try await store.close()
    }

    @Test func methodsOnTheActorAndWritesTakeTurns() async throws {
        let store = try Store.inMemory()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<200 {
                        try await store.put("\(task):\(number)", "value", durability: .buffered)
                        if number % 10 == 0 { await store.assertIsolatedNow() }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await store.statisticsOnTheActor().keys == 800)
        try await store.close()
    }

    @Test func whoHoldsTheLockIsAlone() async {
        final class Counters: Sendable {
            let inside = Atomic(0)
            let total = Atomic(0)
        }
        let executor = LockExecutor()
        let counters = Counters()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<2_000 {
                        executor.run {
                            if counters.inside.wrappingAdd(1, ordering: .relaxed).oldValue == 0 {
                                counters.total.add(1, ordering: .relaxed)
                            }
                            counters.inside.subtract(1, ordering: .relaxed)
                        }
                    }
                }
            }
        }
        #expect(counters.total.load(ordering: .relaxed) == 8_000)
    }
}
