import KeyValueStore
import KeyValueStoreTesting
import Testing

/// What ``ConstrainedStore`` does beyond the conformance suite: the faults that it makes.
@Suite struct ConstrainedStoreTests {
    @Test func handlesShareTheData() async throws {
        let store = ConstrainedStore()
        let other = store.anotherHandle()
        let sequence = try await store.put([1], [2])
        #expect(try await other.fetchEntry([1])?.sequence == sequence)
        #expect(other.id == store.id)
        await store.close()
        await #expect(throws: StoreError.self) { try await store.fetchEntry([1]) }
        try await other.put([1], [3])
        #expect(try await store.anotherHandle().fetchEntry([1])?.value == [3])
    }

    @Test func keepsTheLimits() async throws {
        let store = ConstrainedStore()
        var batch = WriteBatch()
        for number in 0..<1_025 { batch.put(Array("\(number)".utf8), []) }
        #expect(await code { try await store.write(batch, durability: nil) } == .tooLarge)
        batch = WriteBatch(operations: [.init(key: [1], value: []), .init(key: [1], value: nil)])
        #expect(await code { try await store.write(batch, durability: nil) } == .invalidArgument)
        batch = WriteBatch(conditions: .init(repeating: .absent([1]), count: 101))
        #expect(await code { try await store.write(batch, durability: nil) } == .tooLarge)
        #expect(await code { try await store.put([1], .init(repeating: 0, count: 1_500_000)) } == .tooLarge)
        let foreign = try await ConstrainedStore().readView()
        batch = WriteBatch(conditions: [.unchangedKey([1], since: foreign)])
        #expect(await code { try await store.write(batch, durability: nil) } == .invalidArgument)
        #expect(try await store.fetchCount(in: .all) == 0)
        #expect(await store.statistics.writes == 0)
    }

    @Test func sequenceNumbersJump() async throws {
        let store = ConstrainedStore()
        var numbers: [SequenceNumber] = []
        for number in 0..<20 { numbers.append(try await store.put([UInt8(number)], [])) }
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        #expect(zip(numbers, numbers.dropFirst()).contains { $1 - $0 > 1 })
    }

    @Test func theSameSeedMakesTheSameDecisions() async throws {
        func numbers(_ seed: UInt64) async throws -> [SequenceNumber] {
            let store = ConstrainedStore(.hostile.seeded(seed))
            var numbers: [SequenceNumber] = []
            for _ in 0..<50 { numbers.append((try? await store.put([1], [])) ?? 0) }
            return numbers
        }
        #expect(try await numbers(1) == numbers(1))
        #expect(try await numbers(1) != numbers(2))
    }

    @Test func conflictsWithoutAReason() async throws {
        var behaviour = ConstrainedStore.Behaviour.gentle
        behaviour.spuriousConflicts = 1
        let store = ConstrainedStore(behaviour)
        try await store.put([1], [])
        let batch = WriteBatch(operations: [.init(key: [2], value: [])], conditions: [.absent([2])])
        #expect(await code { try await store.write(batch, durability: nil) } == .conflict)
        #expect(try await store.fetchEntry([2]) == nil)
        #expect(await store.statistics.spuriousConflicts == 1)
    }

    @Test func viewsEnd() async throws {
        var behaviour = ConstrainedStore.Behaviour.gentle
        behaviour.writesPerView = 2
        let store = ConstrainedStore(behaviour)
        var view = try await store.readView()
        for _ in 0..<2 { try await store.put([1], []) }
        #expect(try await view.fetchEntry([1]) == nil)
        try await store.put([1], [])
        #expect(await code { try await view.fetchEntry([1]) } == .viewEnded)
        view = try await store.readView()
        #expect(try await view.fetchCount(in: .all) == 1)
        await store.compact()
        #expect(await code { try await view.fetchCount(in: .all) } == .viewEnded)
        behaviour.viewEnds = 1
        view = try await ConstrainedStore(behaviour).readView()
        #expect(await code { try await view.fetchEntries(of: [[1]]) } == .viewEnded)
    }

    @Test func outcomesAreUnknown() async throws {
        var behaviour = ConstrainedStore.Behaviour.gentle
        behaviour.unknownOutcomes = 1
        let store = ConstrainedStore(behaviour)
        for number in 0..<40 {
            #expect(await code { try await store.put([UInt8(number)], []) } == .outcomeUnknown)
        }
        let (count, statistics) = (try await store.fetchCount(in: .all), await store.statistics)
        #expect((1..<40).contains(count))
        #expect(statistics.unknownWritten == count)
        #expect(statistics.unknownNotWritten == 40 - count)
    }

    @Test func callsFail() async throws {
        var behaviour = ConstrainedStore.Behaviour.gentle
        (behaviour.commitFailures, behaviour.readFailures) = (1, 1)
        let store = ConstrainedStore(behaviour)
        #expect(await code { try await store.put([1], []) } == .inputOutput)
        #expect(await code { try await store.fetchCount(in: .all) } == .inputOutput)
        var feed = store.changes(after: nil, in: .all, level: .visible).makeAsyncIterator()
        #expect(await code { _ = try await feed.next() } == .inputOutput)
        #expect(try await feed.next() == nil)
        let statistics = await store.statistics
        #expect(statistics.writes == 0 && statistics.commitFailures == 1 && statistics.readFailures == 2)
    }

    @Test func expiriesAreRoundedAndDelivered() async throws {
        let clock = TestClock()
        let store = ConstrainedStore(clock: { clock.now() })
        let start = try await store.readView().position
        try await store.put([1], [], expires: .after(.milliseconds(1)))
        try await store.put([2], [], expires: .after(.milliseconds(500)))
        let expires = try await store.fetchEntry([1])?.expires
        #expect(expires == Timestamp(milliseconds: 1_700_000_001_000))
        let view = try await store.readView()
        clock.advance(by: .milliseconds(500))
        #expect(try await store.fetchCount(in: .all) == 0)
        #expect(try await view.fetchCount(in: .all) == 2)
        let conditions: [Condition] = [.unchangedRange(.all, since: view), .unchangedKey([1], since: view)]
        try await store.write(WriteBatch(conditions: conditions), durability: nil)
        var actions: [Change.Action] = []
        for try await change in store.changes(after: start, in: .all, level: .durable).prefix(4) {
            actions.append(change.action)
        }
        #expect(actions.suffix(2) == [.remove, .remove])
    }

    @Test func historyEndsWithACompaction() async throws {
        let store = ConstrainedStore()
        let start = try await store.readView().position
        let sequence = try await store.put([1], [])
        await store.compact()
        var feed = store.changes(after: start, in: .all, level: .durable).makeAsyncIterator()
        do {
            _ = try await feed.next(isolation: nil)
            Issue.record("the history was kept")
        } catch {
            #expect(error.code == .positionUnavailable)
            #expect(error.restart == ChangePosition(store: store.id, sequence: sequence))
        }
        #expect(try await feed.next() == nil)
    }

    @Test func closingEndsAFeedThatWaits() async throws {
        let store = ConstrainedStore()
        async let changes = store.changes(after: nil, in: .all, level: .durable).reduce(0) { count, _ in count + 1 }
        await store.close()
        #expect(try await changes == 0)
    }

    @Test func cancellationEndsAFeedThatWaits() async throws {
        let store = ConstrainedStore()
        let task = Task {
            for try await _ in store.changes(after: nil, in: .all, level: .durable) {}
        }
        for _ in 0..<20 { await Task.yield() }
        task.cancel()
        await #expect(throws: StoreError.self) { try await task.value }
    }
}

/// The code of the error that a call throws.
func code<R>(_ body: () async throws -> R) async -> StoreError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}

extension KeyValueStore {
    /// Writes one key.
    @discardableResult
    func put(_ key: [UInt8], _ value: [UInt8], expires: Expiry = .never) async throws(StoreError) -> SequenceNumber {
        var batch = WriteBatch()
        batch.put(key, value, expires: expires)
        return try await write(batch, durability: nil)
    }
}
