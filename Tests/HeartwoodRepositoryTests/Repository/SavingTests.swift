import Foundation
import HeartwoodRepository
import Testing

struct User: Codable, Identifiable, Sendable, Hashable {
    var id: Int
    var name: String
    var email: String?
    var age = 0
    var tags: [String] = []
    var visits: Int8 = 0

    static let definition = RepositoryDefinition<User>(
        "users",
        indexes: [
            Index("name", \.name), .unique("email", \.email), Index("age-name", \.age, \.name),
            Index("tag", .each(\.tags)),
        ])
    static let plain = RepositoryDefinition<User>("users")
}

/// Whether a call throws an error with this code.
func expectError(
    _ code: StoreError.Code, _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> StoreError? {
    do {
        try await body()
        Issue.record("nothing was thrown", sourceLocation: location)
    } catch let error as StoreError {
        #expect(error.code == code, "\(error)", sourceLocation: location)
        return error
    } catch {
        Issue.record(error, sourceLocation: location)
    }
    return nil
}

@Suite struct SavingTests {
    @Test(arguments: TestEngine.allCases)
    func savesAndFinds(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        for definition in [User.plain, User.definition] {
            try await test.withStore { store in
                let users = try await store.repository(definition)
                #expect(try await users.find(by: 1) == nil)
                let ada = User(id: 1, name: "Ada", email: "ada@example.org", age: 36, tags: ["x", "y", "x"])
                try await users.save(ada)
                #expect(try await users.find(by: 1) == ada)
                #expect(try await users.count() == 1)
                try await users.save([ada, User(id: 2, name: "Bob"), User(id: -3, name: "Cid")])
                #expect(try await users.find(by: [2, 5, 1]).map { $0?.name } == ["Bob", nil, "Ada"])
                try await users.delete(1)
                try await users.delete(1)
                #expect(try await users.count() == 2)
                #expect(try await users.deleteAll() == 2)
                #expect(try await users.count() == 0)
            }
        }
    }

    @Test(arguments: TestEngine.allCases)
    func insertsOnlyOnce(_ engine: TestEngine) async throws {
        try await TestStore(engine).withStore { store in
            for definition in [User.plain, User.definition] {
                let users = try await store.repository(
                    RepositoryDefinition<User>("\(definition.indexes.count)", indexes: definition.indexes))
                try await users.insert(User(id: 1, name: "Ada"))
                let error = await expectError(.alreadyExists) { try await users.insert(User(id: 1, name: "Bob")) }
                #expect(error?.message.contains("has a record 1 already") == true)
                #expect(try await users.find(by: 1)?.name == "Ada")
                let twice = await expectError(.alreadyExists) {
                    try await users.insert([User(id: 2, name: "x"), User(id: 2, name: "y")])
                }
                #expect(twice?.message.contains("two records that are inserted") == true)
                #expect(twice?.message.contains("the id 2:") == true)
                #expect(try await users.count() == 1)
            }
        }
    }

    @Test(arguments: TestEngine.allCases)
    func uniqueValuesStayUnique(_ engine: TestEngine) async throws {
        try await TestStore(engine).withUsers { store, users in
            try await users.insert(User(id: 1, name: "Ada", email: "a"))
            try await users.insert(User(id: 2, name: "Bob", email: "b"))
            try await users.insert([User(id: 3, name: "Cid"), User(id: 4, name: "Dan")])
            for _ in 0..<2 {
                let error = await expectError(.uniqueViolation) {
                    try await users.save(User(id: 3, name: "Cid", email: "a"))
                }
                let violation = try #require(error?.cause as? UniqueViolation)
                #expect(violation.index == "email")
                #expect(violation.values == [.string("a")])
                #expect(violation.holder == .int(1))
                #expect(violation.claimant == .int(3))
            }
            _ = await expectError(.uniqueViolation) { try await users.insert(User(id: 9, name: "x", email: "b")) }
            _ = await expectError(.uniqueViolation) {
                try await users.save([User(id: 8, name: "x", email: "n"), User(id: 9, name: "x", email: "n")])
            }
            // Two exchange their values in one call, and in one transaction.
            try await users.save([User(id: 1, name: "Ada", email: "b"), User(id: 2, name: "Bob", email: "a")])
            #expect(try await users.find(by: [1, 2]).map { $0?.email } == ["b", "a"])
            try await store.transaction { transaction in
                try await users.save(User(id: 1, name: "Ada", email: "a"), in: transaction)
                try await users.save(User(id: 2, name: "Bob", email: "b"), in: transaction)
            }
            #expect(try await users.find(by: [1, 2]).map { $0?.email } == ["a", "b"])
            _ = await expectError(.uniqueViolation) {
                try await store.transaction { transaction in
                    try await users.save(User(id: 1, name: "Ada", email: "b"), in: transaction)
                }
            }
            // What was given up is free.
            try await users.delete(1)
            try await users.save(User(id: 3, name: "Cid", email: "a"))
            try await users.update(2) { $0.email = nil }
            try await users.update(4) { $0.email = "b" }
            #expect(try await users.find(by: [2, 3, 4]).map { $0?.email } == [nil, "a", "b"])
        }
    }

    @Test(arguments: TestEngine.allCases)
    func updatesAreAtomic(_ engine: TestEngine) async throws {
        try await TestStore(engine).withStore { store in
            for definition in [User.plain, User.definition] {
                let users = try await store.repository(
                    RepositoryDefinition<User>("\(definition.indexes.count)", indexes: definition.indexes))
                try await users.save(User(id: 1, name: "Ada"))
                #expect(try await users.update(2) { $0.age += 1 } == nil)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            for _ in 0..<5 { try await users.increment(\.age, of: 1) }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try await users.find(by: 1)?.age == 40)
                try await users.increment(\.visits, of: 1, by: 127)
                _ = await expectError(.invalidArgument) { try await users.increment(\.visits, of: 1) }
                _ = await expectError(.invalidArgument) { try await users.update(1) { $0.id = 7 } }
                struct Refusal: Error {}
                await #expect(throws: Refusal.self) {
                    try await users.update(1) { user in
                        user.name = "changed"
                        throw Refusal()
                    }
                }
                #expect(try await users.find(by: 1)?.name == "Ada")
            }
        }
    }

    @Test(arguments: TestEngine.allCases)
    func savesOnlyIfUnchanged(_ engine: TestEngine) async throws {
        try await TestStore(engine).withUsers { store, users in
            let revision = try await users.save(User(id: 1, name: "Ada", email: "a"))
            let found = try #require(try await users.findVersioned(by: 1))
            #expect(found.revision == revision)
            try await users.save(User(id: 1, name: "Ada L", email: "b"), replacing: found)
            _ = await expectError(.conflict) {
                try await users.save(User(id: 1, name: "Ada M", email: "c"), replacing: found)
            }
            _ = await expectError(.conflict) {
                try await users.save(User(id: 1, name: "Ada M", email: "c"), ifRevision: revision)
            }
            let now = try #require(try await users.findVersioned(by: 1))
            #expect(now.model.name == "Ada L")
            try await users.save(User(id: 1, name: "Ada N", email: "a"), ifRevision: now.revision)
            #expect(try await users.find(by: 1)?.email == "a")
            _ = await expectError(.invalidArgument) { try await users.save(User(id: 2, name: "x"), replacing: now) }
        }
    }

    @Test(arguments: TestEngine.allCases)
    func recordsExpireWithTheirEntries(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        try await test.withUsers { store, users in
            try await users.save(User(id: 1, name: "Ada", email: "a"), expires: .after(.seconds(10)))
            try await users.save(User(id: 2, name: "Bob", email: "b"), expires: .after(.seconds(10)))
            try await users.update(1) { $0.age = 1 }
            try await users.update(2, expires: .never) { $0.age = 1 }
            test.clock.advance(seconds: 60)
            #expect(try await users.find(by: 1) == nil)
            #expect(try await users.find(by: 2)?.age == 1)
            try await users.insert(User(id: 3, name: "Cid", email: "a"))
            _ = await expectError(.uniqueViolation) { try await users.save(User(id: 4, name: "x", email: "b")) }
            #expect(try await users.count() == 2)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func transactionsSpanRepositories(_ engine: TestEngine) async throws {
        try await TestStore(engine).withUsers { store, users in
            let others = try await store.repository(of: User.self, named: "others")
            try await users.save(User(id: 1, name: "Ada", email: "a"))
            try await store.transaction { transaction in
                guard let user = try await users.find(by: 1, in: transaction) else { return }
                try await users.delete(1, in: transaction)
                #expect(try await users.find(by: 1, in: transaction) == nil)
                try await others.insert(user, in: transaction)
                try await users.insert(User(id: 2, name: "Bob", email: "a"), in: transaction)
                try await users.increment(\.age, of: 2, by: 5, in: transaction)
            }
            #expect(try await users.find(by: [1, 2]).map { $0?.age } == [nil, 5])
            #expect(try await others.find(by: 1)?.name == "Ada")
            _ = await expectError(.invalidArgument) {
                try await store.transaction { _ in try await users.save(User(id: 9, name: "x")) }
            }
        }
    }
}
