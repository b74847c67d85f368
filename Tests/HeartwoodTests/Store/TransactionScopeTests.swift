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

    /// The calls that run a body.
    enum Form: CaseIterable { case transaction, blockingTransaction }

    enum NestedWrite: CaseIterable {
        case put, putOfAnotherKey, conditionalPut, putWhoseConditionFails, putWithAnotherSequence, removal, batch
        case rangeRemoval, touch, commit, commitOfTwo, commitWhoseConditionFails, transaction
        case putOfAChildTask, putInATransactionOfAnotherStore
        case blockingPut, blockingRemoval, blockingBatch, blockingRangeRemoval, blockingTouch, blockingTransaction

        var isBlocking: Bool { self >= .blockingPut }

        static func >= (left: Self, right: Self) -> Bool {
            allCases.firstIndex(of: left)! >= allCases.firstIndex(of: right)!
        }
    }

    private func write(_ kind: NestedWrite) async throws {
        let store = store
        let key = Array("counter".utf8)
        let operation = WriteBatch.Operation(key: key, value: [])
        switch kind {
        case .put: try await store.put("counter", "5")
        case .putOfAnotherKey: try await store.put("other", "5")
        case .conditionalPut: try await store.put("new", "5", if: .absent)
        case .putWhoseConditionFails: try await store.put("counter", "5", if: .absent)
        case .putWithAnotherSequence: try await store.put("counter", "5", if: .sequence(1 << 40))
        case .removal: try await store.remove("counter")
        case .batch: try await store.write { $0.put("counter", "5") }
        case .rangeRemoval: try await store.remove(in: .prefix("none"))
        case .touch: try await store.touch("none", expires: .never)
        case .commit: try await store.write(WriteBatch(operations: [operation]), durability: nil)
        case .commitOfTwo:
            let second = WriteBatch.Operation(key: [1], value: nil)
            try await store.write(WriteBatch(operations: [operation, second]), durability: nil)
        case .commitWhoseConditionFails:
            let batch = WriteBatch(operations: [operation], conditions: [.absent(key)])
            try await store.write(batch, durability: nil)
        case .transaction: try await store.transaction { try $0.put("counter", "5") }
        case .putOfAChildTask: try await concurrently(0..<1) { _ in try await store.put("counter", "5") }
        case .putInATransactionOfAnotherStore:
            try await other.transaction { _ in try await store.put("counter", "5") }
        default: try writeBlocking(kind)
        }
    }

    private func writeBlocking(_ kind: NestedWrite) throws {
        switch kind {
        case .blockingPut: try store.blocking.put("counter", "5")
        case .blockingRemoval: try store.blocking.remove("counter")
        case .blockingBatch: try store.blocking.write { $0.put("counter", "5") }
        case .blockingRangeRemoval: try store.blocking.remove(in: .prefix("none"))
        case .blockingTouch: try store.blocking.touch("none", expires: .never)
        default: try store.blocking.transaction { try $0.put("counter", "5") }
        }
    }

    private func run(_ form: Form, writing kind: NestedWrite) async throws {
        switch form {
        case .transaction:
            try await store.transaction { transaction in
                try runs.next()
                _ = try transaction.get("counter")
                try await write(kind)
                try transaction.put("counter", "1")
            }
        case .blockingTransaction: try runBlocking(writing: kind)
        }
    }

    private func runBlocking(writing kind: NestedWrite) throws {
        try store.blocking.transaction { transaction in
            try runs.next()
            _ = try transaction.get("counter")
            try writeBlocking(kind)
            try transaction.put("counter", "1")
        }
    }

    @Test(arguments: Form.allCases, NestedWrite.allCases)
    func aWriteInsideItsOwnTransactionIsRefused(form: Form, kind: NestedWrite) async throws {
        if form == .blockingTransaction && !kind.isBlocking { return }
        try await store.put("counter", "0")
        let before = store.statistics.lastSequence
        let error = await expectError(.invalidArgument) { try await run(form, writing: kind) }
        #expect(error?.message.hasPrefix("the store was written inside the body of a transaction on it") == true)
        #expect(runs.value == 1, "the body ran \(runs.value) times")
        #expect(store.statistics.lastSequence == before, "something was written")
        try await store.put("counter", "2")
        #expect(try store.get("counter") == Array("2".utf8), "a later write was refused too")
    }

    @Test func anotherStoreAndReadsAreAllowed() async throws {
        try await store.put("counter", "0")
        try await store.transaction { transaction in
            try await other.put("seen", try store.get("counter") ?? [])
            try await other.transaction { try $0.put("copy", "1") }
            try await other.transaction { try $0.put(Array("typed".utf8), []) }
            try transaction.put("counter", "1")
        }
        #expect(try other.contains("typed"))
        #expect(try other.get("seen") == Array("0".utf8))
        #expect(try other.get("copy") == Array("1".utf8))
    }

    /// What the body of a transaction leaves in a task is refused, not lost.
    @Test func aTransactionWhoseBodyHasEndedRefusesEveryCall() async throws {
        try await store.put("key", "1")
        struct Refusal: Error {}
        for end in 0..<3 {
            var kept: Transaction?
            switch end {
            case 0: try await store.transaction { kept = $0 }
            case 1:
                await #expect(throws: Refusal.self) {
                    try await store.transaction {
                        kept = $0; throw Refusal()
                    }
                }
            default: _ = try { try store.blocking.transaction { kept = $0 } }()
            }
            let transaction = try #require(kept)
            let calls: [() async throws -> Void] = [
                { try transaction.put("key", "2") }, { try transaction.remove("key") },
                { try await transaction.remove(in: .all) }, { try await transaction.touch("key", expires: .never) },
                { _ = try transaction.get("key") },
                { _ = try await transaction.fetch("key") }, { _ = try transaction.get(all: ["key"]) },
                { _ = try await transaction.fetchEntries(of: ["key"]) }, { _ = try transaction.entry("key") },
                { _ = try await transaction.fetchEntry("key") },
                { _ = try transaction.withEntry("key") { _, _, _ in } },
                { _ = try transaction.contains("key") }, { _ = try transaction.expiry(of: "key") },
                { _ = try transaction.entries(limit: 1) },
                { _ = try await transaction.fetchEntries(limit: 1) }, { _ = try transaction.count() },
            ]
            for (number, call) in calls.enumerated() {
                let error = await expectError(.invalidArgument) { try await call() }
                #expect(
                    error?.message.hasPrefix("a transaction was used after its body has ended") == true, "\(number)")
            }
        }
        #expect(try store.get("key") == Array("1".utf8))
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
