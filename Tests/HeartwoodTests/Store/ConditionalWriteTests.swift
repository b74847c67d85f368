import Heartwood
import HeartwoodFileSystem
import Testing

/// Conditions of single operations in batches and transactions.
@Suite struct ConditionalWriteTests {
    private let store: Store

    init() throws { store = try .inMemory() }

    private func text(_ key: String) throws -> String? {
        try store.get(key).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func aBatchIsRefusedAsAWholeIfAPutsConditionFails() async throws {
        try await store.put("there", "1")
        let error = await expectError(.conflict) {
            try await store.write { batch in
                batch.put("new", "1")
                batch.put("there", "2", if: .absent)
            }
        }
        #expect(error?.message.contains("\"there\"") == true)
        #expect(try text("new") == nil)
        #expect(try text("there") == "1")
    }

    @Test func aBatchIsWrittenIfAllConditionsHold() async throws {
        let number = try await store.put("there", "1")
        try await store.write { batch in
            batch.put("new", "1", if: .absent)
            batch.remove("there", if: .sequence(number))
        }
        #expect(try text("new") == "1")
        #expect(try text("there") == nil)
        await expectError(.conflict) { try await store.write { $0.remove("new", if: .sequence(number)) } }
        await expectError(.conflict) { try await store.write { $0.remove("new", if: .absent) } }
    }

    @Test func aBatchesConditionsConcernTheStateBeforeIt() async throws {
        try await store.write { batch in
            batch.put("a", "1")
            batch.put("a", "2", if: .absent)
        }
        #expect(try text("a") == "2")
    }

    @Test func conditionsOfBatchAndCallBothCount() async throws {
        var batch = store.makeBatch()
        batch.put("a", "1", if: .absent)
        try await store.put("guard", "1")
        let unchanged = batch
        await expectError(.conflict) { try await store.write(unchanged, if: [.absent("guard")]) }
        try await store.write(unchanged, if: [.absent("other")])
        await expectError(.conflict) { try await store.write(unchanged) }
        #expect(throws: StoreError.self) { try store.blocking.write(unchanged) }
    }

    @Test func aTransactionsPutIsRefusedAtOnce() async throws {
        let number = try await store.put("there", "1")
        var continued = false
        await expectError(.conflict) {
            try await store.transaction { transaction in
                try transaction.put("new", "1")
                try transaction.put("there", "2", if: .absent)
                continued = true
            }
        }
        #expect(!continued)
        #expect(try text("new") == nil)
        try await store.transaction { transaction in
            try transaction.put("there", "2", if: .sequence(number))
            try transaction.put("new", "1", if: .absent)
        }
        #expect(try text("there") == "2")
        #expect(try text("new") == "1")
        await expectError(.conflict) { try await store.transaction { try $0.remove("there", if: .sequence(number)) } }
        await expectError(.conflict) { try await store.transaction { try $0.remove("there", if: .absent) } }
    }

    @Test func aTransactionsConditionSeesItsOwnWrites() async throws {
        let number = try await store.put("there", "1")
        try await store.transaction { transaction in
            try transaction.put("new", "1", if: .absent)
            #expect(throws: StoreError.self) { try transaction.put("new", "2", if: .absent) }
            try transaction.remove("there", if: .sequence(number))
            #expect(throws: StoreError.self) { try transaction.put("there", "2", if: .sequence(number)) }
            try transaction.put("there", "3", if: .absent)
            #expect(throws: StoreError.self) { try transaction.put("there", "4", if: .sequence(number)) }
        }
        #expect(try text("new") == "1")
        #expect(try text("there") == "3")
    }

    /// The commit also checks the keys that conditions have read.
    @Test func aTransactionRunsAgainIfAConditionsKeyChanged() async throws {
        let store = store
        var runs = 0
        await expectError(.conflict) {
            try await store.transaction { transaction in
                runs += 1
                try transaction.put("lock", "mine", if: .absent)
                if runs == 1 { _ = try await Task.detached { try await store.put("lock", "theirs") }.value }
            }
        }
        #expect(runs == 2)
        #expect(try text("lock") == "theirs")
    }

    /// Whether the key is still as a read view showed it, after `change`.
    private func isUnchanged(
        _ key: String, _ change: (Store) async throws -> Void
    ) async throws -> Bool {
        let view = try store.readView()
        try await change(store)
        do throws(StoreError) {
            var batch = store.makeBatch()
            batch.put("written", key)
            try await store.write(batch, if: [.unchanged(key, since: view)])
            return true
        } catch {
            #expect(error.code == .conflict && error.message.contains(key))
            return false
        }
    }

    @Test func aConditionThatAKeyIsUnchanged() async throws {
        for key in ["same", "set", "removed", "compacted"] { try await store.put(key, "1") }
        #expect(try await isUnchanged("same") { try await $0.put("other", "1") })
        #expect(try await isUnchanged("absent") { try await $0.put("other", "2") })
        #expect(try await isUnchanged("absent") { try await $0.remove("absent") })
        #expect(try await isUnchanged("compacted") { try await $0.compact() })
        #expect(try await !isUnchanged("set") { try await $0.put("set", "1") })
        #expect(try await !isUnchanged("removed") { try await $0.remove("removed") })
        #expect(try await !isUnchanged("new") { try await $0.put("new", "1") })
        #expect(
            try await !isUnchanged("compacted") { store in
                try await store.put("compacted", "2")
                try await store.compact()
            })
        // A key outside the limits never exists.
        #expect(try await isUnchanged("") { _ in })
    }

    /// Another engine can interpret conditions, expiries and ranges.
    @Test func kindsSayWhatWasMade() async throws {
        try await store.put("a", "1")
        let view = try store.readView()
        guard case .absent(let absent) = Condition.absent("a").kind,
            case .sequence(let key, 7) = Condition.sequence(of: "a", is: 7).kind,
            case .unchangedKey(let unchanged, let since) = Condition.unchanged("a", since: view).kind,
            case .unchangedRange(.prefix("b"), let rangeSince) = Condition.unchanged(.prefix("b"), since: view).kind
        else {
            Issue.record("a condition has another kind")
            return
        }
        #expect([absent, key, unchanged] == [[0x61], [0x61], [0x61]])
        try await store.put("a", "2")
        #expect(try since.get("a") == [0x31] && rangeSince.sequence == view.sequence)
        #expect(KeyCondition.absent.kind == .absent && KeyCondition.sequence(3).kind == .sequence(3))
        let time = Timestamp(milliseconds: 5)
        #expect(Expiry.never.kind == .never && Expiry.at(time).kind == .at(time))
        #expect(Expiry.after(.seconds(1)).kind == .after(.seconds(1)))
        let range = KeyRange.range(from: "a", to: "b")
        #expect(range.lower == .included([0x61]) && range.upper == .excluded([0x62]))
        #expect(KeyRange(lower: range.lower, upper: range.upper) == range)
        #expect(KeyRange.all == KeyRange(lower: .unbounded, upper: .unbounded))
    }
}

/// A pattern of a range, compared by value.
private func ~= (pattern: KeyRange, range: KeyRange) -> Bool { pattern == range }
