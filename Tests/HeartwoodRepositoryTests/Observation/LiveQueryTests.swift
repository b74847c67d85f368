import HeartwoodRepository
import Observation
import Testing

@MainActor
@Suite struct LiveQueryTests {
    /// Waits until something holds that updates of a live query lead to.
    private func wait(_ location: SourceLocation = #_sourceLocation, until isTrue: () -> Bool) async throws {
        for _ in 0..<4_000 {
            if isTrue() { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("it never became true", sourceLocation: location)
    }

    @Test func followsItsQuery() async throws {
        try await TestStore(.memory).withUsers { store, users in
            try await users.save([User(id: 1, name: "Ada", age: 30), User(id: 2, name: "Bob", age: 20)])
            let live = LiveQuery(Query(where: \.age >= 18, sort: [.ascending(\.age)]), in: users)
            #expect(live.isLoading)
            try await wait { !live.isLoading }
            #expect(live.items.map(\.id) == [2, 1])
            #expect(live.difference.inserted == [1, 2])

            try await users.save(User(id: 2, name: "Bob", age: 40))
            try await wait { live.items.map(\.id) == [1, 2] }
            #expect(live.difference.inserted.isEmpty && live.difference.removed.isEmpty)
            #expect(live.difference.changed == [2])
            #expect(!live.difference.order.isEmpty)

            try await users.delete(1)
            try await wait { live.items.count == 1 }
            #expect(live.difference.removed == [1])
            #expect(live.difference.changed.isEmpty)

            live.query = Query(where: \.age < 18)
            #expect(live.isLoading)
            try await wait { !live.isLoading }
            #expect(live.items.isEmpty)
        }
    }

    @Test func tellsObservers() async throws {
        try await TestStore(.memory).withUsers { store, users in
            let live = LiveQuery(in: users)
            try await wait { !live.isLoading }
            let told = Told()
            withObservationTracking {
                _ = live.items
            } onChange: {
                Task { @MainActor in told.isTold = true }
            }
            try await users.save(User(id: 1, name: "Ada"))
            try await wait { told.isTold }
            try await wait { live.items.map(\.name) == ["Ada"] }
        }
    }

    @Test func showsAnErrorAndKeepsTheResults() async throws {
        try await TestStore(.memory).withUsers { store, users in
            try await users.save([User(id: 1, name: "Ada"), User(id: 2, name: "Bob")])
            let live = LiveQuery(in: users)
            try await wait { live.items.count == 2 }
            try await users.breakRecord(1, in: store)
            try await wait { live.error != nil }
            #expect(live.error?.code == .undecodable)
            #expect(live.items.count == 2)
            try await users.delete(1)
            try await wait { live.error == nil }
            #expect(live.items.map(\.id) == [2])
        }
    }

    @Test func endsWithAnErrorWhenTheStoreIsClosed() async throws {
        let test = TestStore(.memory)
        let store = try await test.open()
        let users = try await store.repository(User.definition)
        try await users.save(User(id: 1, name: "Ada"))
        let live = LiveQuery(in: users)
        try await wait { !live.isLoading }
        try await TestStore.close(store)
        try await wait { live.error != nil }
        #expect(live.error?.code == .closed)
        #expect(live.items.map(\.id) == [1] && !live.isLoading)
        // One that begins on a closed store, and one that has another query.
        let late = LiveQuery(in: users)
        live.query = Query(where: \.age > 1)
        for live in [late, live] {
            try await wait { !live.isLoading }
            #expect(live.error?.code == .closed)
        }
        #expect(late.items.isEmpty)
    }

    @Test func endsWhenItIsReleased() async throws {
        try await TestStore(.memory).withUsers { store, users in
            var live: LiveQuery<User>? = LiveQuery(in: users)
            weak let released = live
            try await wait { live?.isLoading == false }
            live = nil
            try await wait { released == nil }
        }
    }

    @MainActor private final class Told { var isTold = false }
}
