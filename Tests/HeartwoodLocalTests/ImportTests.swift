import Foundation
import Heartwood
import HeartwoodLocal
import HeartwoodRepository
import Testing

@Suite("import of a JSON file") struct ImportTests {
    private static let three = #"[{"id":"b","title":"two","isDone":true}, {"isDone":false,"id":"a","title":"one"} ]"#

    @Test func takesOverTheFileOfThePattern() async throws {
        let scratch = try Scratch()
        let items = (0..<5).map { Chore(id: "\($0)", title: "title \($0)", isDone: $0 == 3) }
        try JSONEncoder().encode(items).write(to: scratch.url.appendingPathComponent("data.json"), options: .atomic)
        let log = LogLines()
        let repository = LocalRepository<Chore>(directory: scratch.url, logger: log.logger)
        #expect(await repository.loadAll() == items)
        #expect(repository.problems.isEmpty)
        #expect(try scratch.names() == ["data.json.heartwood", "data.json.imported"])
        #expect(log.all.contains { $0.contains("imported a JSON file") })
        try await repository.delete("0")
        try await repository.close()
        // What was deleted doesn't come back.
        #expect(await LocalRepository<Chore>(directory: scratch.url).loadAll().count == 4)
    }

    @Test func keepsTheBytesOfEachItem() async throws {
        let scratch = try Scratch()
        // A field that the type doesn't know, and another order of the fields.
        let item = #"{"title" : "one","colour":"blue","id":"a","isDone":false}"#
        try scratch.write("[\n\(item)\n]", to: "data.json")
        let repository = LocalRepository<Chore>(directory: scratch.url)
        #expect(await repository.find(by: "a")?.title == "one")
        let entries = try await #require(repository.store).fetchEntries(in: .all, reversed: false, limit: 10).entries
        #expect(entries.contains { Array($0.value.suffix(item.utf8.count)) == Array(item.utf8) })
    }

    @Test func takesOverLargeFiles() async throws {
        let scratch = try Scratch()
        let filler = String(repeating: "x", count: 500)
        let items = (0..<20_000).map { Chore(id: String($0 + 100_000), title: filler) }
        try JSONEncoder().encode(items).write(to: scratch.url.appendingPathComponent("data.json"))
        let repository = try LocalRepository<Chore>(opening: scratch.url)
        #expect(repository.count == 20_000)
        #expect(await repository.page(offset: 19_999, limit: 10) == [items[19_999]])
        try await repository.close()
        let store = try await Store.open(at: scratch.path("data.json.heartwood"))
        #expect(try await store.verifyRepositories().findings.isEmpty)
        let chores = try await store.repository(of: SharedChore.self, named: "items")
        #expect(try await chores.count() == 20_000)
        #expect(try await chores.find(by: "100007")?.title == filler)
        #expect(try await chores.verify().findings.isEmpty)
        try await store.close()
    }

    @Test func emptyArrayIsImported() async throws {
        let scratch = try Scratch()
        try scratch.write("[]", to: "data.json")
        let repository = LocalRepository<Chore>(directory: scratch.url)
        #expect(repository.problems.isEmpty && repository.count == 0)
        #expect(try scratch.names() == ["data.json.heartwood", "data.json.imported"])
    }

    @Test(arguments: [
        "", "not JSON", "{}", #"[{"id":"a"}]"#, #"[{"id":"a","title":"x","isDone":false},]"#,
        #"[{"id":"a","title":"x","isDone":false},{"id":"a","title":"y","isDone":false}]"#,
    ])
    func aFileInDoubtIsLeft(text: String) async throws {
        let scratch = try Scratch()
        try scratch.write(text, to: "data.json")
        let log = LogLines()
        let repository = LocalRepository<Chore>(directory: scratch.url, logger: log.logger)
        #expect(await repository.loadAll().isEmpty)
        #expect(repository.problems.map(\.code) == [.importFailed])
        #expect(log.all.count == 1 && log.all[0].hasPrefix("error: "))
        for _ in 0..<2 {
            let error = await #expect(throws: StoreError.self) {
                try await repository.save(Chore(id: "a", title: "new"))
            }
            #expect(error?.code == .importFailed)
            #expect(error?.file == scratch.path("data.json") || error?.file?.hasSuffix("/data.json") == true)
            await #expect(throws: StoreError.self) { try await repository.delete("a") }
        }
        #expect(throws: StoreError.self) { try LocalRepository<Chore>(opening: scratch.url) }
        #expect(try scratch.names() == ["data.json"])
        #expect(try scratch.read("data.json") == text)
        // Once the file is in order, the next save opens the repository, and imports it before.
        try scratch.write(Self.three, to: "data.json")
        try await repository.save(Chore(id: "c", title: "new"))
        #expect(await repository.loadAll().map(\.id) == ["a", "b", "c"])
        #expect(repository.problems.isEmpty)
    }

    @Test func aDirectoryOfTheNameIsAProblem() async throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: scratch.path("data.json"), withIntermediateDirectories: false)
        let repository = LocalRepository<Chore>(directory: scratch.url)
        #expect(repository.problems.map(\.code) == [.importFailed])
        #expect(try scratch.names() == ["data.json"])
    }

    @Test func finishesARenamingThatWasInterrupted() async throws {
        let scratch = try Scratch()
        try scratch.write(Self.three, to: "data.json")
        try await LocalRepository<Chore>(directory: scratch.url).close()
        // As if a crash had taken the renaming back; and a file of the new name is there.
        try scratch.write(Self.three, to: "data.json")
        let repository = LocalRepository<Chore>(directory: scratch.url)
        #expect(repository.count == 2 && repository.problems.isEmpty)
        #expect(
            try scratch.names() == ["data.json.heartwood", "data.json.imported", "data.json.imported-2"])
    }

    @Test func anotherFileBesideTheStoreIsLeft() async throws {
        let scratch = try Scratch()
        try scratch.write(Self.three, to: "data.json")
        try await LocalRepository<Chore>(directory: scratch.url).close()
        let other = Self.three.replacingOccurrences(of: "one", with: "ONE")
        try scratch.write(other, to: "data.json")
        let log = LogLines()
        let repository = LocalRepository<Chore>(directory: scratch.url, logger: log.logger)
        #expect(repository.problems.map(\.code) == [.fileIgnored])
        #expect(log.all.count == 1)
        try await repository.save(Chore(id: "c", title: "works"))
        #expect(await repository.loadAll().map(\.title) == ["one", "two", "works"])
        #expect(try scratch.read("data.json") == other)
    }

    @Test func aFileThatComesLaterIsLeft() async throws {
        let scratch = try Scratch()
        let first = LocalRepository<Chore>(directory: scratch.url)
        try await first.save(Chore(id: "z", title: "own"))
        try await first.close()
        try scratch.write(Self.three, to: "data.json")
        let second = LocalRepository<Chore>(directory: scratch.url, version: 1)
        try await second.save(Chore(id: "y", title: "own"))
        #expect(second.problems.map(\.code) == [.fileIgnored])
        #expect(await second.loadAll().map(\.id) == ["y", "z"])
        #expect(try scratch.read("data.json") == Self.three)
    }

    @Test func aRepositorysStoreIsTakenOver() async throws {
        let scratch = try Scratch()
        let store = try await Store.open(at: scratch.path("data.json.heartwood"))
        let chores = try await store.repository(
            of: SharedChore.self, named: "items", indexes: [Index("title", \.title)])
        try await chores.save(SharedChore(id: "1", title: "indexed", isDone: false))
        try await store.close()
        try scratch.write(Self.three, to: "data.json")
        let repository = LocalRepository<Chore>(directory: scratch.url)
        #expect(repository.problems.map(\.code) == [.fileIgnored])
        #expect(await repository.loadAll().map(\.title) == ["indexed"])
        try await repository.save(Chore(id: "1", title: "without index"))
        try await repository.close()
        // The index is built again, without what the other program has replaced.
        let again = try await Store.open(at: scratch.path("data.json.heartwood"))
        let indexed = try await again.repository(
            of: SharedChore.self, named: "items", indexes: [Index("title", \.title)])
        #expect(try await indexed.fetch(where: \.title == "indexed").isEmpty)
        #expect(try await indexed.fetch(where: \.title == "without index").count == 1)
        #expect(try await again.verifyRepositories().findings.isEmpty)
        try await again.close()
    }
}
