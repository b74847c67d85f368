import KeyValueStore
import KeyValueStoreTesting
import Testing

/// What a transaction commits: its writes, and a condition for everything that it has read.
@Suite struct TransactionTests {
    private let store = RecordingStore()

    /// The conditions of a transaction that writes, as text; and its operations.
    private func commit(
        writes: Bool = true, _ body: (Transaction) async throws -> Void
    ) async throws -> (conditions: Set<String>, operations: [WriteBatch.Operation]) {
        try await store.transaction { transaction in
            try await body(transaction)
            if writes, transaction.isReadOnly { try transaction.put([99], []) }
        }
        let batch = try #require(await store.batches.all.last)
        let conditions = batch.conditions.map { condition in
            switch condition.kind {
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
            try transaction.put([1], [1])
            _ = try await transaction.fetchEntry([1])
            _ = try await transaction.fetchEntry([2])
            _ = try await transaction.fetchEntries(of: [[1], [2], [3], [3]])
            _ = try await transaction.fetch([4])
            try transaction.put([3], [])
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
            try transaction.put([1], [])
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

    @Test func withoutWritesOnlyWhatIsRequiredIsACondition() async throws {
        for isRequired in [false, true] {
            let committed = try await commit(writes: false) { transaction in
                _ = try await transaction.fetchEntry([1])
                if isRequired { try transaction.require(.absent([2])) }
            }
            #expect(committed.conditions == (isRequired ? ["absent [2]", "key [1]"] : []))
        }
    }

    /// Own writes fill a page; what the view has after the last entry wasn't read.
    @Test func ownWritesEndThePartThatWasRead() async throws {
        for number in 1...5 as ClosedRange<UInt8> { try await store.put([number * 10], []) }
        let committed = try await commit { transaction in
            try transaction.remove([10])
            try transaction.put([11], [7])
            let page = try await transaction.fetchEntries(in: .all, reversed: false, limit: 2)
            #expect(page.entries.map(\.key) == [[11], [20]])
            #expect(page.next == .after([20]))
        }
        #expect(committed.conditions == [text(KeyRange(lower: .unbounded, upper: .included([20])))])
    }

    @Test func operationsAreInTheOrderOfTheFirstWrite() async throws {
        let committed = try await commit { transaction in
            #expect(transaction.isReadOnly)
            try transaction.put([2], [1])
            try transaction.remove([1])
            try transaction.put([2], [2], expires: .at(Timestamp(milliseconds: 5)))
            try transaction.put([3], [3])
            try transaction.remove([3])
            #expect(!transaction.isReadOnly)
        }
        let expected: [WriteBatch.Operation] = [
            .init(key: [2], value: [2], expires: .at(Timestamp(milliseconds: 5))), .init(key: [1], value: nil),
            .init(key: [3], value: nil),
        ]
        #expect(committed.operations == expected)
    }

    @Test func ownEntriesHaveNoNumberYet() async throws {
        let time = Timestamp(milliseconds: .max)
        try await store.transaction { transaction in
            try transaction.put([1], [2], expires: .at(time))
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
            try transaction.require(.absent([2]))
            try transaction.require(.sequence([1], sequence))
        }
        #expect(committed.conditions == ["absent [2]", "sequence [1] \(sequence)"])
    }

    @Test func aRequirementThatNeverHoldsEndsWithTheCancellation() async throws {
        try await store.put([1], [])
        let (store, runs) = (store, Counter())
        let task = Task {
            try await store.transaction { transaction in
                if runs.next() == 3 { withUnsafeCurrentTask { $0?.cancel() } }
                try transaction.require(.absent([1]))
            }
        }
        #expect(await code { try await task.value } == .cancelled)
        #expect(try await store.fetchCount(in: .all) == 1)
    }

    @Test func aBodyThatReadsAnEndedViewRunsAgain() async throws {
        try await store.put([1], [])
        var runs = 0
        try await store.transaction { transaction in
            runs += 1
            if runs == 1 { await store.inner.compact() }
            _ = try await transaction.fetchEntry([1])
        }
        #expect(runs == 2)
    }

    /// A view that the body holds has ended: in each run, the same would happen.
    @Test func anEndedViewOfTheBodysOwnIsAnError() async throws {
        try await store.put([1], [])
        let (view, other) = (try await store.readView(), ConstrainedStore())
        await store.inner.compact()
        var (runs, inner) = (0, 0)
        #expect(
            await code {
                try await store.transaction { _ in
                    runs += 1
                    if runs < 20 { _ = try await view.fetchEntry([1]) }
                }
            } == .viewEnded)
        #expect(runs == 1)
        // The view of an outer transaction: that one runs again, not the inner one.
        runs = 0
        try await store.transaction { transaction in
            runs += 1
            if runs == 1 { await store.inner.compact() }
            try await other.transaction { _ in
                inner += 1
                if inner < 20 { _ = try await transaction.fetchEntry([1]) }
            }
        }
        #expect((runs, inner) == (2, 2))
    }

    // MARK: Transactions whose body has ended

    private func refusesEveryCall(_ transaction: Transaction) async {
        let calls: [() async throws -> Void] = [
            { try transaction.put([1], []) }, { try transaction.remove([1]) },
            { try transaction.require(.absent([1])) }, { _ = try await transaction.fetchEntry([1]) },
            { _ = try await transaction.fetchEntries(of: [[1]]) }, { _ = try await transaction.fetchEntries(of: []) },
            { _ = try await transaction.fetchEntries(in: .all, reversed: false, limit: 1) },
            { _ = try await transaction.fetchCount(in: .all) },
            { _ = try await transaction.fetch([1]) },
        ]
        for (number, call) in calls.enumerated() { #expect(await code(call) == .invalidArgument, "call \(number)") }
    }

    @Test func everyCallIsRefusedWhenTheBodyHasEnded() async throws {
        struct Refusal: Error {}
        var kept: [Transaction] = []
        try await store.transaction { transaction in
            try transaction.put([2], [])
            kept.append(transaction)
        }
        await #expect(throws: Refusal.self) {
            try await store.transaction { transaction in
                kept.append(transaction)
                throw Refusal()
            }
        }
        try await store.transaction { transaction in
            kept.append(transaction)
            // One whose run was in vain.
            if kept.count < 4 { throw transaction.startAgain() }
            await refusesEveryCall(kept[2])
        }
        #expect(kept.count == 4)
        for transaction in kept { await refusesEveryCall(transaction) }
        #expect(try await store.fetchEntries(in: .all, reversed: false, limit: 9).entries.map(\.key) == [[2]])
    }

    // MARK: Calls of layers

    @Test func aCallThatFailsHalfWayPreventsTheCommit() async throws {
        struct Fault: Error {}
        let halfWay = await code {
            try await store.transaction { transaction in
                try? await transaction.exclusively { () async throws(StoreError) in
                    transaction.set([1], [])
                    throw StoreError(.inputOutput, "a test")
                }
            }
        }
        #expect(halfWay == .inputOutput)
        // One that has written nothing yet doesn't.
        try await store.transaction { transaction in
            try? await transaction.exclusively { () async throws(StoreError) in throw StoreError(.conflict, "a test") }
            try transaction.put([2], [])
        }
        #expect(try await store.fetchEntries(in: .all, reversed: false, limit: 9).entries.map(\.key) == [[2]])
    }

    @Test @MainActor func callsThatOverlapAreRefused() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await store.transaction { transaction in
            let (begins, begin) = AsyncStream.makeStream(of: Void.self)
            let first = Task {
                try await transaction.exclusively { () async throws(StoreError) in
                    begin.finish()
                    for await _ in ends {}
                    transaction.set([1], [])
                }
            }
            for await _ in begins {}
            let error = await #expect(throws: StoreError.self) { try await transaction.exclusively {} }
            #expect(error?.code == .invalidArgument)
            end.finish()
            try await first.value
            try await transaction.exclusively { transaction.set([2], []) }
        }
        #expect(try await store.fetchCount(in: .all) == 2)
    }

    @Test @MainActor func aBodyThatLeavesACallBehindIsRefused() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        var late: Task<Void, any Error>?
        let error = await #expect(throws: StoreError.self) {
            try await store.transaction { transaction in
                let (begins, begin) = AsyncStream.makeStream(of: Void.self)
                late = Task {
                    try await transaction.exclusively { () async throws(StoreError) in
                        transaction.set([1], [])
                        begin.finish()
                        for await _ in ends {}
                        _ = try await transaction.fetchEntry([2])
                    }
                }
                for await _ in begins {}
            }
        }
        #expect(error?.code == .invalidArgument)
        end.finish()
        let lateError = await #expect(throws: StoreError.self) { try await late?.value }
        #expect(lateError?.code == .invalidArgument)
        #expect(try await store.fetchCount(in: .all) == 0)
    }
}

extension Transaction {
    /// A call as layers make them.
    fileprivate nonisolated(nonsending) func exclusively(
        _ call: () async throws(StoreError) -> Void
    ) async throws(StoreError) {
        try beginWriting()
        do throws(StoreError) {
            try await call()
        } catch {
            endWriting(error)
            throw error
        }
        endWriting()
    }
}

/// What a transaction assumes instead of reading it.
@Suite struct AssumptionTests {
    private let store = ConstrainedStore()
    private struct Refusal: Error {}

    private static let reads: [@Sendable (Transaction) async throws -> Void] = [
        { _ = try await $0.fetchEntry([9]) }, { _ = try await $0.fetchEntries(of: [[8], [9]]) },
        { _ = try await $0.fetchEntries(in: .all, reversed: true, limit: 1) },
        { _ = try await $0.fetchCount(in: .all) },
        { _ = try await $0.fetch([9]) },
    ]

    /// What is assumed is compared before anything is read; and the body runs again, whatever it makes of the error.
    @Test(arguments: reads.indices, [false, true])
    func whatIsNotSoEndsTheRun(read: Int, isCaught: Bool) async throws {
        let sequence = try await store.put([1], [])
        for (key, assumed) in [([1], nil), ([1], sequence + 1), ([2], 7)] as [([UInt8], SequenceNumber?)] {
            var attempts: [Int] = []
            try await store.transaction { transaction in
                attempts.append(transaction.attempt)
                guard transaction.attempt == 0 else { return try transaction.put([3], []) }
                transaction.assume([1], sequence)
                transaction.assume(key, assumed)
                for _ in 0..<2 {
                    let error = await code { try await Self.reads[read](transaction) }
                    #expect(error == .conflict)
                }
                if !isCaught { throw Refusal() }
                try transaction.put([4], [])
            }
            #expect(attempts == [0, 1])
            #expect(try await store.fetchCount(in: .all) == 2)
        }
    }

    /// The error of a body follows from what it assumes, too, also where it has read nothing.
    @Test func anErrorIsThrownOnlyIfWhatIsAssumedIsSo() async throws {
        try await store.put([1], [])
        for (key, runs) in [([1], 2), ([2], 1)] as [([UInt8], Int)] {
            var count = 0
            await #expect(throws: Refusal.self) {
                try await store.transaction { transaction in
                    count += 1
                    if transaction.attempt == 0 { transaction.assume(key, nil) }
                    throw Refusal()
                }
            }
            #expect(count == runs)
        }
    }

    @Test func whatIsSoCostsNoReadOfItsOwn() async throws {
        let sequence = try await store.put([1], [])
        let before = await store.statistics.reads
        try await store.transaction { transaction in
            transaction.assume([1], sequence)
            transaction.assume([2], nil)
            try transaction.put([2], [])
            // Its own write.
            #expect(try await transaction.fetchEntry([2])?.value == [])
            #expect(await store.statistics.reads == before)
            #expect(try await transaction.fetchEntry([1])?.sequence == sequence)
            #expect(try await transaction.fetchEntries(of: [[1], [3]]).map { $0 != nil } == [true, false])
            transaction.assume([4], nil)
            transaction.assume([5], nil)
            #expect(try await transaction.fetchEntries(of: [[1], [3]]).map { $0 != nil } == [true, false])
            #expect(await store.statistics.reads == before + 3)
            transaction.assume([6], nil)
            #expect(try await transaction.fetchCount(in: .all) == 2)
        }
        #expect(
            await code { try await store.write(WriteBatch(conditions: [.absent([2])]), durability: nil) }
                == .conflict)
    }

    /// True of the view, and no longer true at the commit.
    @Test func whatIsAssumedIsAConditionOfTheCommit() async throws {
        var attempts = 0
        let store = store
        try await store.transaction { transaction in
            attempts += 1
            guard transaction.attempt == 0 else { return }
            transaction.assume([1], nil)
            try transaction.put([1], [7])
            _ = try await transaction.fetchEntry([9])
            _ = try await Task.detached { try await store.put([1], [8]) }.value
        }
        #expect(attempts == 2)
        #expect(try await store.fetchEntry([1])?.value == [8])
    }
}
