import Foundation
import HeartwoodRepository
import Testing

/// Versions of one model.
private enum Versions {
    struct One: Codable, Identifiable, Sendable, Hashable {
        var id: Int
        var first: String
        var last: String
    }

    struct Two: Codable, Identifiable, Sendable, Hashable {
        var id: Int
        var name: String
    }

    struct Three: Codable, Identifiable, Sendable, Hashable {
        var id: Int
        var name: String
        var length: Int
    }

    static let one = RepositoryDefinition<One>("people", indexes: [Index("last", \.last)])
    static let toTwo = Migration(from: 1, to: 2) { (old: One) in Two(id: old.id, name: old.first + " " + old.last) }
    static let toThree = Migration(from: 2, to: 3) { (old: Two) in
        Three(id: old.id, name: old.name, length: old.name.count)
    }
    static let two = RepositoryDefinition<Two>(
        "people", version: 2, indexes: [Index("name", \.name)], migrations: [toTwo])
    static let three = RepositoryDefinition<Three>(
        "people", version: 3, indexes: [Index("name", \.name), Index("length", \.length)], migrations: [toTwo, toThree])
}

@Suite struct MaintenanceTests {
    @Test(arguments: TestEngine.allCases)
    func buildsNewIndexesAndDropsOldOnes(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        try await test.withStore { store in
            let users = try await store.repository(User.plain)
            for start in 0..<10 {
                try await users.save((0..<10).map { User(id: start * 10 + $0, name: "n\($0)", age: start) })
            }
        }
        try await test.withStore { store in
            let users = try await store.repository(User.definition, maintenance: .manual)
            #expect(users.readyIndexes == [])
            let query = Query<User>(where: \.age == 3)
            #expect(try await users.count(query) == 10)
            #expect(!users.plan(for: query).description.contains("age-name"))
            var progress: [MaintenanceReport] = []
            let report = try await users.maintain { progress.append($0) }
            #expect(report.isComplete)
            #expect(report.records == 100)
            #expect(report.rewritten == 100)
            #expect(progress.last?.records == 100)
            #expect(Set(users.readyIndexes) == ["name", "email", "age-name", "tag"])
            #expect(users.plan(for: query).description.contains("age-name"))
            #expect(try await users.count(query) == 10)
        }
        try await test.withStore { store in
            // Some are dropped, one is changed, and has the name of an old one.
            let users = try await store.repository(
                of: User.self, named: "users", indexes: [Index("name", \.name, \.age), .unique("email", \.email)],
                maintenance: .manual)
            let report = try await users.maintain()
            #expect(report.isComplete)
            #expect(report.rewritten == 100)
            #expect(Set(users.readyIndexes) == ["name", "email"])
            #expect(try await users.fetch(where: \.name == "n3", sort: [.ascending(\.age)]).map(\.age) == Array(0..<10))
        }
    }

    @Test(arguments: TestEngine.allCases)
    func migratesLazilyAndInTheStore(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        try await test.withStore { store in
            let people = try await store.repository(Versions.one)
            try await people.save((0..<30).map { Versions.One(id: $0, first: "F\($0)", last: "L") })
        }
        try await test.withStore { store in
            let people = try await store.repository(Versions.three, maintenance: .manual)
            #expect(try await people.find(by: 7) == Versions.Three(id: 7, name: "F7 L", length: 4))
            #expect(try await people.fetch(where: \.length == 5).count == 20)
            try await people.update(3) { $0.name = "changed" }
            let report = try await people.maintain()
            #expect(report.rewritten == 29)
            #expect(report.isComplete)
            #expect(try await people.count(where: \.length == 5) == 20)
            #expect(try await people.first(where: \.name == "changed")?.id == 3)
        }
        try await test.withStore { store in
            let error = await expectError(.newerModel) { _ = try await store.repository(Versions.two) }
            #expect(error?.message.contains("version 3") == true)
        }
    }

    /// Keys that an older version of the model has made aren't those that the newer one looks for.
    @Test(arguments: TestEngine.allCases)
    func aReaderWithANewerModelUsesNoIndexOfTheOlder(_ engine: TestEngine) async throws {
        struct Upper: Codable, Identifiable, Sendable {
            var id: Int
            var name: String
        }
        try await TestStore(engine).withStore { store in
            let people = try await store.repository(
                of: Versions.Two.self, named: "p", indexes: [Index("name", \.name)])
            try await people.save(Versions.Two(id: 1, name: "Ada"))
            let migration = Migration(from: 1, to: 2) { (old: Upper) in
                Upper(id: old.id, name: old.name.uppercased())
            }
            let newer = RepositoryDefinition<Upper>(
                "p", version: 2, indexes: [Index("name", \.name)], migrations: [migration])
            let reading = try await store.readOnlyRepository(newer)
            #expect(try await reading.fetch(where: \.name == "ADA").map(\.id) == [1])
            #expect(try await reading.fetch(where: \.name == "Ada").isEmpty)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func aMissingMigrationIsRefused(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        try await test.withStore { _ = try await $0.repository(Versions.one) }
        try await test.withStore { store in
            let definition = RepositoryDefinition<Versions.Three>("people", version: 3, migrations: [Versions.toThree])
            _ = await expectError(.invalidArgument) { _ = try await store.repository(definition) }
            _ = await expectError(.invalidArgument) {
                _ = try await store.repository(
                    of: Versions.Three.self, named: "x", version: 3,
                    migrations: [Versions.toThree, Versions.toThree])
            }
        }
    }

    @Test(arguments: TestEngine.allCases)
    func violationsAreListedAndOtherIndexesGetReady(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        try await test.withStore { store in
            let users = try await store.repository(User.plain)
            try await users.save((0..<10).map { User(id: $0, name: "n", email: $0 < 3 ? "same" : "\($0)") })
        }
        try await test.withStore { store in
            let users = try await store.repository(User.definition, maintenance: .manual)
            let report = try await users.maintain()
            #expect(report.violations.map(\.claimant) == [.int(1), .int(2)])
            #expect(report.violations.allSatisfy { $0.holder == .int(0) && $0.index == "email" })
            #expect(report.unready == ["email"])
            #expect(Set(users.readyIndexes) == ["name", "age-name", "tag"])
            #expect(try await users.fetch(where: \.email == "same").map(\.id) == [0, 1, 2])
        }
        try await test.withStore { store in
            _ = await expectError(.uniqueViolation) { _ = try await store.repository(User.definition) }
            let users = try await store.repository(User.definition, maintenance: .manual)
            try await users.update(1) { $0.email = "one" }
            try await users.delete(2)
            #expect(try await users.maintain().isComplete)
            #expect(users.readyIndexes.count == 4)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func anUndecodableRecordIsNamedAndHidesNoOther(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        try await test.withStore { store in
            let people = try await store.repository(of: Versions.One.self, named: "people")
            try await people.save((0..<5).map { Versions.One(id: $0, first: "F", last: "L") })
        }
        try await test.withStore { store in
            let people = try await store.repository(of: Versions.Two.self, named: "people")
            let error = await expectError(.undecodable) { _ = try await people.find(by: 2) }
            #expect(error?.message.contains("record 2 of \"people\"") == true)
            try await people.save(Versions.Two(id: 3, name: "new"))
            _ = await expectError(.undecodable) { _ = try await people.loadAll() }
            var errors: [StoreError] = []
            let others = try await people.loadAll { errors.append($0) }
            #expect(others.map(\.id) == [3])
            #expect(errors.count == 4)
            try await people.delete([0, 1, 2, 4])
            #expect(try await people.loadAll().count == 1)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func aProgramThatDoesNotKnowAnIndexNeverMakesItWrong(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        let keeping = RepositoryDefinition<User>("users", unknownIndexes: .keep)
        try await test.withUsers { store, users in
            try await users.save((0..<20).map { User(id: $0, name: "old", email: "\($0)") })
        }
        try await test.withStore { store in
            _ = await expectError(.unknownIndex) {
                _ = try await store.repository(RepositoryDefinition<User>("users", unknownIndexes: .refuse))
            }
            let users = try await store.repository(keeping)
            try await users.save((5..<10).map { User(id: $0, name: "new", email: "x\($0)") })
            try await users.delete([0, 1])
            try await users.insert(User(id: 30, name: "new", email: "0"))
        }
        try await test.withStore { store in
            let users = try await store.repository(User.definition, maintenance: .manual)
            #expect(users.readyIndexes == [])
            #expect(try await users.fetch(where: \.name == "new").map(\.id) == [5, 6, 7, 8, 9, 30])
            let report = try await users.maintain()
            // Only what the other program has written is rewritten.
            #expect(report.rewritten == 6)
            #expect(report.isComplete)
            #expect(try await users.fetch(where: \.name == "new").map(\.id) == [5, 6, 7, 8, 9, 30])
            #expect(try await users.count(where: \.name == "old") == 13)
            #expect(try await users.first(where: \.email == "0")?.id == 30)
        }
    }

    @Test func twoDefinitionsOfOneOpenRepositoryAreRefused() async throws {
        try await TestStore(.memory).withUsers { store, users in
            func difference<Model>(_ definition: RepositoryDefinition<Model>) async -> String {
                let error = await expectError(.invalidArgument) { _ = try await store.repository(definition) }
                return error?.message ?? ""
            }
            var other = User.definition
            other.version = 2
            #expect(await difference(other).contains("with version 1 of its model, and not 2:"))
            other = User.definition
            other.coder = .propertyList
            #expect(await difference(other).contains("with the coder \"json\", and not \"plist\":"))
            other = User.definition
            other.indexes[0] = Index("name", \.name, \.age)
            other.indexes.removeLast()
            #expect(await difference(other).contains("with other indexes (\"name\", \"tag\" differ):"))
            other = User.definition
            other.indexes.swapAt(0, 1)
            #expect(await difference(other).contains("with its indexes in another order:"))
            other = User.definition
            other.unknownIndexes = .keep
            #expect(await difference(other).contains("with other unknownIndexes:"))
            let typed = RepositoryDefinition<Versions.One>("users")
            #expect(await difference(typed).contains("with the type User, and not with One:"))
            let same = try await store.repository(User.definition)
            try await same.save(User(id: 1, name: "x"))
            #expect(try await users.count() == 1)
        }
    }

    /// Nothing but the program's references keeps the first definition, however threads are interrupted: many at once.
    @Test func aReleasedRepositoryIsOpenedWithAnotherDefinition() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    try await TestStore(.memory).withStore { store in
                        try await withThrowingTaskGroup(of: Void.self) { openings in
                            for id in 0..<3 {
                                openings.addTask {
                                    let people = try await store.repository(of: Versions.Two.self, named: "people")
                                    try await people.save(Versions.Two(id: id, name: "\(number)"))
                                }
                            }
                            try await openings.waitForAll()
                        }
                        #expect(try await store.repository(of: Versions.Three.self, named: "people").count() == 3)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// A read of the first program takes over the catalogue's entry; its next write must still say what it leaves out.
    @Test(arguments: 1...5)
    func anIndexThatAReadHasNoticedIsDisowned(_ seed: Int) async throws {
        let test = TestStore(.constrained, seed: UInt64(seed))
        let (one, other) = (try await test.open(), try await test.open())
        let first = try await one.repository(
            RepositoryDefinition<User>("users", indexes: [Index("name", \.name)]))
        try await first.save((0..<20).map { User(id: $0, name: "a", age: $0) })
        let second = try await other.repository(User.definition)
        #expect(second.readyIndexes.count == 4)
        #expect(try await first.count(where: \.name == "a") == 20)
        try await first.save((0..<5).map { User(id: $0, name: "b", age: 100) })
        #expect(try await second.count(where: \.age == 100) == 5)
        #expect(!second.readyIndexes.contains("age-name"))
    }

    /// Two programs on one cluster, with different indexes, that write by turns and at the same time.
    @Test(arguments: 1...5)
    func twoProgramsOnOneClusterKeepIndexesRight(_ seed: Int) async throws {
        let test = TestStore(.constrained, seed: UInt64(seed))
        let (one, other) = (try await test.open(), try await test.open())
        let old = RepositoryDefinition<User>("users", indexes: [Index("name", \.name)])
        let first = try await one.repository(old)
        try await first.save((0..<20).map { User(id: $0, name: "a", age: $0) })
        let second = try await other.repository(User.definition)
        #expect(second.readyIndexes.count == 4)
        #expect(try await second.count(where: \.age < 10) == 10)
        // The first doesn't maintain "age-name": the second must notice before it uses the index again.
        try await first.save((0..<5).map { User(id: $0, name: "b", age: 100) })
        #expect(try await second.count(where: \.age < 10) == 5)
        #expect(try await second.count(where: \.age == 100) == 5)
        #expect(second.readyIndexes.contains("age-name") == false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for id in 0..<20 { try await first.save(User(id: id, name: "c", age: 1)) } }
            group.addTask { for id in 0..<20 { try await second.save(User(id: id, name: "d", age: 2)) } }
            group.addTask { _ = try await second.maintain() }
            try await group.waitForAll()
        }
        let all = try await second.loadAll()
        for name in ["b", "c", "d"] {
            let wanted = all.filter { $0.name == name }.map(\.id)
            #expect(try await first.fetch(where: \.name == name).map(\.id) == wanted)
            #expect(try await second.fetch(where: \.name == name).map(\.id) == wanted)
        }
        #expect(try await second.fetch(where: \.age == 1).map(\.id) == all.filter { $0.age == 1 }.map(\.id))
    }
}
