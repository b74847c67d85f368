import Heartwood
import HeartwoodFileSystem
import Synchronization
import Testing

/// A write to the store inside the body of its own transaction would run the body again without end: it is refused.
@Suite struct TransactionScopeTests {
    private let store: Store
    private let other: Store
    /// Ends a body that runs more often than it should, so that a failure ends too.
    private let runs = Runs()

    init() throws {
        store = try .inMemory()
        other = try .inMemory()
    }

    private final class Runs: Sendable {
        private let count = Atomic(0)
        struct TooMany: Error {}

        func next() throws {
            if count.add(1, ordering: .relaxed).newValue > 20 { throw TooMany() }
        }

        var value: Int { count.load(ordering: .relaxed) }
    }

    private func expectRefusal(
        _ location: SourceLocation = #_sourceLocation, _ write: @escaping @Sendable (Store) async throws -> Void
    ) async throws {
        try await store.put("counter", "0")
        let before = store.statistics.lastSequence
        let error = await expectError(.invalidArgument, location) {
            try await store.transaction { transaction in
                try runs.next()
                _ = try transaction.get("counter")
                try await write(store)
                try transaction.put("counter", "1")
            }
        }
        #expect(error?.message.contains("transaction") == true, sourceLocation: location)
        #expect(runs.value == 1, "the body ran \(runs.value) times", sourceLocation: location)
        #expect(store.statistics.lastSequence == before, "something was written", sourceLocation: location)
        try await store.put("counter", "2")
        #expect(try store.get("counter") == Array("2".utf8), "refused afterwards too", sourceLocation: location)
    }

    @Test func aPutIsRefused() async throws { try await expectRefusal { try await $0.put("counter", "5") } }

    @Test func aPutOfAnotherKeyIsRefused() async throws { try await expectRefusal { try await $0.put("other", "5") } }

    @Test func aConditionalPutIsRefused() async throws {
        try await expectRefusal { try await $0.put("new", "5", if: .absent) }
    }

    @Test func aRemovalIsRefused() async throws { try await expectRefusal { try await $0.remove("counter") } }

    @Test func aBatchIsRefused() async throws {
        try await expectRefusal { try await $0.write { $0.put("counter", "5") } }
    }

    @Test func aTransactionIsRefused() async throws {
        try await expectRefusal { try await $0.transaction { try $0.put("counter", "5") } }
    }

    @Test func aBlockingPutIsRefused() async throws {
        try await expectRefusal { store in _ = try { try store.blocking.put("counter", "5") }() }
    }

    @Test func aPutOfAChildTaskIsRefused() async throws {
        try await expectRefusal { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await store.put("counter", "5") }
                try await group.waitForAll()
            }
        }
    }

    @Test func aPutWithinATransactionOfAnotherStoreIsRefused() async throws {
        let other = other
        try await expectRefusal { store in
            try await other.transaction { _ in try await store.put("counter", "5") }
        }
    }

    @Test func blockingTransactionsRefuseToo() throws {
        try store.blocking.put("counter", "0")
        for nested in [
            { (store: Store) in _ = try store.blocking.put("counter", "5") },
            { (store: Store) in _ = try store.blocking.transaction { try $0.put("counter", "5") } },
        ] {
            let error = #expect(throws: StoreError.self) {
                try store.blocking.transaction { transaction in
                    try runs.next()
                    _ = try transaction.get("counter")
                    try nested(store)
                }
            }
            #expect(error?.code == .invalidArgument)
        }
        #expect(runs.value == 2)
        #expect(try store.get("counter") == Array("0".utf8))
    }

    @Test func anotherStoreAndReadsAreAllowed() async throws {
        try await store.put("counter", "0")
        try await store.transaction { transaction in
            try await other.put("seen", try store.get("counter") ?? [])
            try await other.transaction { try $0.put("copy", "1") }
            try transaction.put("counter", "1")
        }
        #expect(try other.get("seen") == Array("0".utf8))
        #expect(try other.get("copy") == Array("1".utf8))
    }

    @Test func aTaskThatOutlivesTheBodyMayWrite() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let late = try await store.transaction { transaction in
            try transaction.put("counter", "1")
            return Task {
                for await _ in ends {}
                try await store.put("counter", "2")
            }
        }.value
        end.finish()
        try await late.value
        #expect(try store.get("counter") == Array("2".utf8))
    }

    /// Others may overtake a transaction as often as they like.
    @Test func conflictsWithOthersAreNoReason() async throws {
        try await store.put("counter", "0")
        let store = store
        let rounds = 200
        let attempts = Atomic(0)
        try await store.transaction { transaction in
            let value = try transaction.get("counter")
            if attempts.add(1, ordering: .relaxed).newValue <= rounds {
                _ = try await Task.detached { try await store.put("counter", "5") }.value
            }
            try transaction.put("counter", (value ?? []) + [0x21])
        }
        #expect(attempts.load(ordering: .relaxed) == rounds + 1)
        #expect(try store.get("counter") == Array("5!".utf8))
    }
}
