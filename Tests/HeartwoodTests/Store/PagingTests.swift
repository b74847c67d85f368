import Heartwood
import Testing

/// Keys of a closed store.
@Suite struct PagingTests {
    private let store: Store

    init() throws { store = try .inMemory() }

    @Test func keysOfAClosedStoreAreAnError() async throws {
        try await store.write { batch in
            for number in 0..<100 { batch.put("key \(number)", "") }
        }
        let snapshot = try store.snapshot()
        var walk = try store.keys().makeIterator()
        #expect(walk.next() != nil)
        try await store.close()
        await expectError(.closed) { _ = try store.keys() }
        await expectError(.closed) { _ = try snapshot.keys() }
        var rest = 0
        while walk.next() != nil { rest += 1 }
        #expect(rest == 99, "a walk that had begun ended early without a word")
    }
}
