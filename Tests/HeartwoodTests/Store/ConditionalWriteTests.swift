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

    @Test func conditionsOfOperationsAndOfTheBatchCount() async throws {
        var batch = store.makeBatch()
        batch.put("a", "1", if: .absent)
        try await store.put("guard", "1")
        var (refused, written) = (batch, batch)
        refused.require(.absent("guard"))
        written.require(.absent("other"))
        let (first, second) = (refused, written)
        await expectError(.conflict) { try await store.write(first) }
        try await store.write(second)
        await expectError(.conflict) { try await store.write(second) }
        #expect(throws: StoreError.self) { try store.blocking.write(second) }
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
            batch.require(.unchangedKey(key, since: view))
            try await store.write(batch)
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
            case .sequence(let key, 7) = Condition.sequence("a", 7).kind,
            case .unchangedKey(let unchanged, let since) = Condition.unchangedKey("a", since: view).kind,
            case .unchangedRange(.prefix("b"), let rangeSince) = Condition.unchangedRange(.prefix("b"), since: view)
                .kind
        else {
            Issue.record("a condition has another kind")
            return
        }
        #expect([absent, key, unchanged] == [[0x61], [0x61], [0x61]])
        try await store.put("a", "2")
        #expect(try await since.fetchEntry([0x61])?.value == [0x31] && rangeSince.position == view.position)
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
