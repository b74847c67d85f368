import Heartwood
import HeartwoodFileSystem
import Testing

/// Conditions of operations and of batches, beside those that every engine is tested for.
@Suite struct ConditionalWriteTests {
    private let store: Store

    init() throws { store = try .inMemory() }

    @Test func conditionsOfOperationsAndOfTheBatchCount() async throws {
        var batch = store.makeBatch()
        batch.put("a", "1", if: .absent)
        try await store.put("guard", "1")
        var (refused, written) = (batch, batch)
        refused.require(.absent("guard"))
        written.require(.absent("other"))
        let (first, second) = (refused, written)
        let error = await expectError(.conflict) { try await store.write(first) }
        #expect(error?.message.contains("\"guard\"") == true)
        try await store.write(second)
        await expectError(.conflict) { try await store.write(second) }
        #expect(throws: StoreError.self) { try store.blocking.write(second) }
        // A key outside the limits never exists.
        let view = try store.readView()
        try await store.write { $0.require(.unchangedKey("", since: view)) }
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
