import KeyValueStore
import KeyValueStoreTesting
import Testing

/// A caller that finds out with a token whether a write happened loses nothing, and does nothing twice, although
/// commits have unknown outcomes.
@Suite struct HostileStoreTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func incrementsAreExact(_ seed: UInt64) async throws {
        // So frequent that each fault happens.
        var behaviour = ConstrainedStore.Behaviour.hostile.seeded(seed)
        (behaviour.unknownOutcomes, behaviour.commitFailures) = (0.4, 0.2)
        (behaviour.spuriousConflicts, behaviour.readFailures) = (0.3, 0.1)
        let store = ConstrainedStore(behaviour)
        let programs = [store, store.anotherHandle()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 as Range<UInt8> {
                group.addTask {
                    for number in 0..<10 as Range<UInt8> {
                        try await increment(programs[Int(task) % 2], token: [1, task, number])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await retrying { try await store.fetchEntry([0])?.value } == [40])
        let statistics = await store.statistics
        #expect(statistics.unknownWritten > 0 && statistics.unknownNotWritten > 0 && statistics.commitFailures > 0)
        #expect(statistics.spuriousConflicts > 0 && statistics.readFailures > 0)
    }

    private func increment(_ store: ConstrainedStore, token: [UInt8]) async throws {
        try await retrying {
            try await store.transaction { transaction in
                if try await transaction.fetchEntry(token) != nil { return }
                let count = try await transaction.fetchEntry([0])?.value[0] ?? 0
                try transaction.put([0], [count + 1])
                try transaction.put(token, [])
            }
        }
    }

    @discardableResult
    private func retrying<R>(_ body: () async throws -> R) async throws -> R {
        while true {
            do {
                return try await body()
            } catch let error as StoreError where [.outcomeUnknown, .inputOutput].contains(error.code) {
                try Task.checkCancellation()
            }
        }
    }
}
