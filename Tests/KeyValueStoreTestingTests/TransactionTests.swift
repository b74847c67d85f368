import KeyValueStore
import KeyValueStoreTesting
import Testing

/// What a transaction commits: its writes, and a condition for everything that it has read.
@Suite struct TransactionTests {
    private let store = RecordingStore()

    /// The conditions of a transaction, as text; and its operations.
    private func commit(
        _ body: (KeyValueTransaction) async throws -> Void
    ) async throws -> (conditions: Set<String>, operations: [KeyValueBatch.Operation]) {
        try await store.withTransaction(body)
        let batch = try #require(await store.batches.all.last)
        let conditions = batch.conditions.map { condition in
            switch condition {
            case .absent(let key): "absent \(key)"
            case .sequence(let key, let sequence): "sequence \(key) \(sequence)"
            case .unchangedKey(let key, _): "key \(key)"
            case .unchangedRange(let range, _): "range \(range.lower) \(range.upper)"
            }
        }
        #expect(Set(conditions).count == conditions.count)
        return (Set(conditions), batch.operations)
    }

    private func text(_ range: KeyRange) -> String { "range \(range.lower) \(range.upper)" }

    @Test func readKeysAreConditionsUnlessWritten() async throws {
        let committed = try await commit { transaction in
            transaction.put([1], [1])
            _ = try await transaction.fetchEntry([1])
            _ = try await transaction.fetchEntry([2])
            _ = try await transaction.fetchEntries(of: [[1], [2], [3], [3]])
            _ = try await transaction.lendEntry([4]) { _, _, _ in }
            transaction.put([3], [])
        }
        #expect(committed.conditions == ["key [2]", "key [3]", "key [4]"])
    }

    @Test func aFailedReadIsNoCondition() async throws {
        let committed = try await commit { transaction in
            #expect(await code { try await transaction.fetchEntry([]) } == .invalidArgument)
            #expect(await code { try await transaction.fetchEntries(of: [[1], []]) } == .invalidArgument)
            #expect(
                await code { try await transaction.fetchEntries(in: .all, reversed: false, limit: 0) }
                    == .invalidArgument)
            transaction.put([1], [])
        }
        #expect(committed.conditions.isEmpty)
    }

    @Test func onlyTheReadPartOfARangeIsACondition() async throws {
        for number in 1...5 as ClosedRange<UInt8> { try await store.put([number], []) }
        let range = KeyRange(lower: .included([1]), upper: .excluded([9]))
        var committed = try await commit { transaction in
            _ = try await transaction.fetchEntries(in: range, reversed: false, limit: 2)
        }
        #expect(committed.conditions == [text(KeyRange(lower: .included([1]), upper: .included([2])))])
        committed = try await commit { transaction in
            _ = try await transaction.fetchEntries(in: range, reversed: true, limit: 2)
        }
        #expect(committed.conditions == [text(KeyRange(lower: .included([4]), upper: .excluded([9])))])
        for reversed in [false, true] {
            committed = try await commit { transaction in
                _ = try await transaction.fetchEntries(in: range, reversed: reversed, limit: 6)
            }
            #expect(committed.conditions == [text(range)])
        }
        committed = try await commit { _ = try await $0.fetchCount(in: range) }
        #expect(committed.conditions == [text(range)])
    }

    /// Own writes fill a page; what the view has after the last entry wasn't read.
    @Test func ownWritesEndThePartThatWasRead() async throws {
        for number in 1...5 as ClosedRange<UInt8> { try await store.put([number * 10], []) }
        let committed = try await commit { transaction in
            transaction.remove([10])
            transaction.put([11], [7])
            let page = try await transaction.fetchEntries(in: .all, reversed: false, limit: 2)
            #expect(page.entries.map(\.key) == [[11], [20]])
            #expect(page.next == .after([20]))
        }
        #expect(committed.conditions == [text(KeyRange(lower: .unbounded, upper: .included([20])))])
    }

    @Test func operationsAreInTheOrderOfTheFirstWrite() async throws {
        let committed = try await commit { transaction in
            #expect(transaction.isReadOnly)
            transaction.put([2], [1])
            transaction.remove([1])
            transaction.put([2], [2], expires: .at(Timestamp(milliseconds: 5)))
            transaction.put([3], [3])
            transaction.remove([3])
            #expect(!transaction.isReadOnly)
        }
        let expected: [KeyValueBatch.Operation] = [
            .init(key: [2], value: [2], expires: .at(Timestamp(milliseconds: 5))), .init(key: [1], value: nil),
            .init(key: [3], value: nil),
        ]
        #expect(committed.operations == expected)
    }

    @Test func ownEntriesHaveNoNumberYet() async throws {
        let time = Timestamp(milliseconds: .max)
        try await store.withTransaction { transaction in
            transaction.put([1], [2], expires: .at(time))
            let expected = Entry(key: [1], value: [2], sequence: 0, expires: time)
            #expect(try await transaction.fetchEntry([1]) == expected)
            #expect(try await transaction.fetchEntries(of: [[1], [1]]) == [expected, expected])
            let page = try await transaction.fetchEntries(in: .all, reversed: true, limit: .max)
            #expect(page == EntryPage(entries: [expected], next: nil))
        }
    }

    @Test func requiredConditionsAreCommitted() async throws {
        let sequence = try await store.put([1], [])
        let committed = try await commit { transaction in
            transaction.require(.absent([2]))
            transaction.require(.sequence([1], sequence))
        }
        #expect(committed.conditions == ["absent [2]", "sequence [1] \(sequence)"])
    }

    @Test func aRequirementThatNeverHoldsEndsWithTheCancellation() async throws {
        try await store.put([1], [])
        let (store, runs) = (store, Counter())
        let task = Task {
            try await store.withTransaction { transaction in
                if runs.next() == 3 { withUnsafeCurrentTask { $0?.cancel() } }
                transaction.require(.absent([1]))
            }
        }
        #expect(await code { try await task.value } == .cancelled)
        #expect(try await store.fetchCount(in: .all) == 1)
    }

    @Test func aBodyThatReadsAnEndedViewRunsAgain() async throws {
        try await store.put([1], [])
        var runs = 0
        try await store.withTransaction { transaction in
            runs += 1
            if runs == 1 { await store.inner.compact() }
            _ = try await transaction.fetchEntry([1])
        }
        #expect(runs == 2)
    }
}
