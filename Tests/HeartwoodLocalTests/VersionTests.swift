import Foundation
import Heartwood
import HeartwoodLocal
import HeartwoodRepository
import Testing

@Suite("versions") struct VersionTests {
    struct PersonV1: Codable, Identifiable, Sendable {
        var id: Int
        var first: String
        var last: String
    }

    struct Person: Codable, Identifiable, Sendable, Equatable {
        var id: Int
        var name: String
    }

    static let migrations = [
        Migration(from: 1, to: 2) { (old: PersonV1) in Person(id: old.id, name: "\(old.first) \(old.last)") }
    ]

    @Test func areMigratedWhenTheyAreRead() async throws {
        let scratch = try Scratch()
        let old = LocalRepository<PersonV1>(directory: scratch.url)
        try await old.save(PersonV1(id: 1, first: "Ada", last: "Lovelace"))
        try await old.save(PersonV1(id: 2, first: "Emmy", last: "Noether"))
        try await old.close()
        let repository = LocalRepository<Person>(
            directory: scratch.url, version: 2, migrations: Self.migrations)
        #expect(await repository.loadAll().map(\.name) == ["Ada Lovelace", "Emmy Noether"])
        try await repository.save(Person(id: 2, name: "A. E. Noether"))
        #expect(await repository.find(by: 2)?.name == "A. E. Noether")
        try await repository.close()
        // The store has one of each version, until maintenance.
        let store = try await Store.open(at: scratch.path("data.json.heartwood"))
        let figures = try await store.verifyRepositories()
        #expect(figures.findings.isEmpty)
        #expect(figures.repositories.first?.versions == [1: 1, 2: 1])
        let people = try await store.repository(
            of: Person.self, named: "items", version: 2, migrations: Self.migrations)
        #expect(try await people.find(by: 1)?.name == "Ada Lovelace")
        try await store.close()
        // The older program is refused.
        let older = LocalRepository<PersonV1>(directory: scratch.url, logger: LogLines().logger)
        #expect(older.problems.map(\.code) == [.newerModel])
        await #expect(throws: StoreError.self) { try await older.delete(1) }
    }

    @Test func aFileHasVersionOne() async throws {
        let scratch = try Scratch()
        try scratch.write(#"[{"id":1,"first":"Ada","last":"Lovelace"}]"#, to: "data.json")
        let repository = LocalRepository<Person>(
            directory: scratch.url, version: 2, migrations: Self.migrations)
        #expect(await repository.loadAll() == [Person(id: 1, name: "Ada Lovelace")])
        try await repository.close()
        let store = try await Store.open(at: scratch.path("data.json.heartwood"))
        let people = try await store.repository(
            of: Person.self, named: "items", version: 2, migrations: Self.migrations)
        #expect(try await store.verifyRepositories().repositories.first?.versions == [2: 1])
        #expect(try await people.count() == 1)
        try await store.close()
    }

    @Test func aMissingMigrationIsAProblem() async throws {
        let scratch = try Scratch()
        let old = LocalRepository<PersonV1>(directory: scratch.url)
        try await old.save(PersonV1(id: 1, first: "Ada", last: "Lovelace"))
        try await old.close()
        let repository = LocalRepository<Person>(directory: scratch.url, version: 3, logger: LogLines().logger)
        #expect(repository.problems.map(\.code) == [.invalidArgument])
        let none = LocalRepository<Person>(directory: scratch.url, version: 0, logger: LogLines().logger)
        #expect(none.problems.map(\.code) == [.invalidArgument])
        let both = LocalRepository<Person>(
            directory: scratch.url, version: 2, migrations: Self.migrations + Self.migrations,
            logger: LogLines().logger)
        #expect(both.problems.map(\.code) == [.invalidArgument])
    }
}
