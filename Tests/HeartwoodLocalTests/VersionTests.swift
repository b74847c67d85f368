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

    /// Nothing is written: the older program can still use the store.
    @Test func otherIDsAreRefused() async throws {
        struct ByText: Codable, Identifiable, Sendable {
            var id: String
            var name: String
        }
        let scratch = try Scratch()
        let old = LocalRepository<Person>(directory: scratch.url)
        try await old.saveAll((1...3).map { Person(id: $0, name: "n\($0)") })
        try await old.close()
        let shifted = Migration(from: 1, to: 2) { (old: Person) in
            Person(id: old.id == 3 ? 30 : old.id, name: old.name)
        }
        let texts = Migration(from: 1, to: 2) { (old: Person) in ByText(id: "u\(old.id)", name: old.name) }
        for open in [
            { try LocalRepository<Person>(opening: scratch.url, version: 2, migrations: [shifted]).problems },
            { try LocalRepository<ByText>(opening: scratch.url, version: 2, migrations: [texts]).problems },
            { try LocalRepository<ByText>(opening: scratch.url).problems },
        ] as [() throws -> [StoreError]] {
            let error = #expect(throws: StoreError.self) { _ = try open() }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("nothing was changed") == true)
        }
        let again = LocalRepository<Person>(directory: scratch.url)
        #expect(again.problems.isEmpty)
        #expect(again.count == 3)
    }

    /// An item whose id isn't decoded could not be found again.
    @Test func anIDThatIsNotDecodedIsRefused() async throws {
        struct Renewed: Codable, Identifiable, Sendable {
            var id = UUID()
            var name: String

            private enum CodingKeys: CodingKey { case name }
        }
        let scratch = try Scratch()
        let repository = LocalRepository<Renewed>(directory: scratch.url)
        let error = await #expect(throws: StoreError.self) { try await repository.save(Renewed(name: "x")) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("'let'") == true)
        await #expect(throws: StoreError.self) {
            try await repository.saveAll([Renewed(name: "x"), Renewed(name: "y")])
        }
        #expect(repository.count == 0 && repository.problems.isEmpty)
        try scratch.write(#"[{"name":"x"}]"#, to: "other.json")
        let imported = LocalRepository<Renewed>(
            directory: scratch.url, filename: "other.json", logger: LogLines().logger)
        #expect(imported.problems.map(\.code) == [.importFailed])
        #expect(imported.problems.first?.message.contains("'let'") == true)
    }
}
