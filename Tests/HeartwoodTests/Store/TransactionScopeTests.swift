import Heartwood
import HeartwoodFileSystem
import Synchronization
import Testing

/// A write to the store inside the body of its own transaction is refused: it would make the body run again forever.
@Suite struct TransactionScopeTests {
    private let store: Store
    private let other: Store
    /// Ends a body that runs too often, so that a failing test ends.
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

    enum NestedWrite: CaseIterable {
        case put, putOfAnotherKey, conditionalPut, removal, batch, transaction, blockingPut, putOfAChildTask
        case putInATransactionOfAnotherStore
    }

    private func write(_ kind: NestedWrite) async throws {
        let store = store
        switch kind {
        case .put: try await store.put("counter", "5")
        case .putOfAnotherKey: try await store.put("other", "5")
        case .conditionalPut: try await store.put("new", "5", if: .absent)
        case .removal: try await store.remove("counter")
        case .batch: try await store.write { $0.put("counter", "5") }
        case .transaction: try await store.transaction { try $0.put("counter", "5") }
        case .blockingPut: _ = try { try store.blocking.put("counter", "5") }()
        case .putOfAChildTask: try await concurrently(0..<1) { _ in try await store.put("counter", "5") }
        case .putInATransactionOfAnotherStore:
            try await other.transaction { _ in try await store.put("counter", "5") }
        }
    }

    @Test(arguments: NestedWrite.allCases)
    func aWriteInsideItsOwnTransactionIsRefused(kind: NestedWrite) async throws {
        try await store.put("counter", "0")
        let before = store.statistics.lastSequence
        let error = await expectError(.invalidArgument) {
            try await store.transaction { transaction in
                try runs.next()
                _ = try transaction.get("counter")
                try await write(kind)
                try transaction.put("counter", "1")
            }
        }
        #expect(error?.message.contains("transaction") == true)
        #expect(runs.value == 1, "the body ran \(runs.value) times")
        #expect(store.statistics.lastSequence == before, "something was written")
        try await store.put("counter", "2")
        #expect(try store.get("counter") == Array("2".utf8), "a later write was refused too")
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

    /// Other writers may overtake a transaction any number of times.
    @Test func conflictsWithOtherWritersAreAllowed() async throws {
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
