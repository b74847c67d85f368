import Foundation
import HeartwoodRepository
import Testing

@Suite struct QueryingTests {
    private static let names = ["Ada", "Bob", "Cid", "Dan", "Eve", "Flo", "Gus", "Hal", "Ida", "Jon"]

    private static func users(_ count: Int) -> [User] {
        (0..<count).map { number in
            User(
                id: number, name: names[number % 10], email: number % 3 == 0 ? "\(number)@example.org" : nil,
                age: number * 7 % 50,
                tags: ["even", "odd", "third"].filter {
                    $0 == "third" ? number % 3 == 0 : ($0 == "odd") == (number % 2 == 1)
                })
        }
    }

    /// The filled repository.
    private func filled(_ store: any KeyValueStore, _ users: [User]) async throws -> Repository<User> {
        let repository = try await store.repository(User.definition)
        for start in stride(from: 0, to: users.count, by: 10) {
            try await repository.save(Array(users[start..<min(start + 10, users.count)]))
        }
        return repository
    }

    @Test(arguments: TestEngine.allCases)
    func findsWhatAnArrayFinds(_ engine: TestEngine) async throws {
        try await TestStore(engine).withStore { store in
            let all = Self.users(120)
            let users = try await filled(store, all)
            let young = try await users.fetch(where: \.age < 10 && \.name == "Ada", sort: [.ascending(\.age)])
            #expect(
                young.map(\.id) == all.filter { $0.age < 10 && $0.name == "Ada" }.sorted { $0.age < $1.age }.map(\.id))
            let third = try await users.fetch(where: .contains(\.tags, "third"))
            #expect(third.map(\.id) == all.filter { $0.tags.contains("third") }.map(\.id))
            let email = try await users.first(where: \.email == "3@example.org")
            #expect(email?.id == 3)
            let predicate = Filter(#Predicate<User> { $0.age >= 40 && $0.name.count == 3 && $0.email != nil })
            #expect(
                try await users.fetch(where: predicate).map(\.id).sorted()
                    == all.filter { $0.age >= 40 && $0.email != nil }.map(\.id))
            #expect(try await users.count(where: \.age == 7) == all.count { $0.age == 7 })
            #expect(try await users.minimum(of: \.age) == 0)
            #expect(
                try await users.maximum(of: \.age, where: \.name == "Bob")
                    == all.filter { $0.name == "Bob" }.map(\.age).max())
            let plan = try await users.explain(Query(where: \.name == "Ada"))
            #expect(plan.description.contains("name"), "\(plan)")
            #expect(try await users.loadAll() == all)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func pagesAndStreamsDeliverEverythingOnce(_ engine: TestEngine) async throws {
        try await TestStore(engine).withStore { store in
            let all = Self.users(90)
            let users = try await filled(store, all)
            let query = Query<User>(where: \.age >= 5, sort: [.descending(\.age)])
            let wanted = try await users.fetch(query)
            #expect(Set(wanted.map(\.id)) == Set(all.filter { $0.age >= 5 }.map(\.id)))
            var paged: [Int] = []
            var cursor: QueryCursor?
            repeat {
                let page = try await users.page(query, limit: 7, after: cursor)
                paged += page.models.map(\.id)
                // What is written between two pages before the position isn't delivered.
                try await users.save(User(id: 1_000 + paged.count, name: "New", age: 120))
                cursor = page.next.flatMap { QueryCursor($0.description) }
            } while cursor != nil
            #expect(paged == wanted.map(\.id))
            var streamed: [Int] = []
            for try await user in users.results(of: Query(where: \.age >= 5 && \.age < 100, sort: [.descending(\.age)]))
            {
                streamed.append(user.id)
            }
            #expect(streamed == wanted.map(\.id))
        }
    }

    @Test(arguments: TestEngine.allCases)
    func queriesInTransactionsSeeTheirWrites(_ engine: TestEngine) async throws {
        try await TestStore(engine).withStore { store in
            let users = try await filled(store, Self.users(20))
            try await store.transaction { transaction in
                try await users.save(User(id: 500, name: "Ada", age: 1), in: transaction)
                try await users.delete(0, in: transaction)
                let found = try await users.fetch(Query(where: \.name == "Ada"), in: transaction)
                #expect(found.map(\.id) == [10, 500])
                #expect(try await users.count(Query(where: \.name == "Ada"), in: transaction) == 2)
            }
            #expect(try await users.delete(where: \.name == "Ada") == 2)
            #expect(try await users.count() == 18)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func conditionsOnTheIDReadOnlyThoseRecords(_ engine: TestEngine) async throws {
        try await TestStore(engine).withStore { store in
            let users = try await filled(store, Self.users(60))
            let one = try await users.explain(Query(where: \.id == 7))
            #expect(one.reads == ["1 records by id: id == 7"])
            #expect(one.statistics?.records == 1)
            let some = try await users.explain(Query(where: \.id >= 50, sort: [.descending(\.id)], limit: 3))
            #expect(some.reads == ["records by id: id >= 50, backwards"])
            #expect(some.statistics?.records == 3)
            #expect(try await users.fetch(where: .isIn(\.id, [3, 99, 1])).map(\.id) == [1, 3])
            #expect(try await users.maximum(of: \.id) == 59)
            let both = try await users.explain(Query(where: \.name == "Ada" && \.id > 20))
            #expect(both.statistics?.records == 3)
        }
    }
}
