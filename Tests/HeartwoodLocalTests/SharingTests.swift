import Foundation
import Heartwood
@testable import HeartwoodLocal
import HeartwoodRepository
import Synchronization
import Testing

/// An item that counts how often it is decoded. For one test: others would count beside it.
struct Counted: Codable, Identifiable, Sendable {
    static let decodings = Atomic(0)

    var id: Int
    var text: String

    init(id: Int, text: String) { (self.id, self.text) = (id, text) }

    init(from decoder: any Decoder) throws {
        Self.decodings.add(1, ordering: .relaxed)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        text = try container.decode(String.self, forKey: .text)
    }
}

@Suite struct SharingTests {
    @Test func twoOnOnePathShareEverything() async throws {
        let scratch = try Scratch()
        let first = LocalRepository<Chore>(directory: scratch.url)
        let second = LocalRepository<Chore>(directory: scratch.url)
        #expect(first.core === second.core)
        try await first.save(Chore(id: "1", title: "of the first"))
        #expect(await second.find(by: "1")?.title == "of the first")
        try await second.save(Chore(id: "1", title: "of the second"))
        #expect(await first.loadAll().map(\.title) == ["of the second"])
        try await second.delete("1")
        #expect(await first.loadAll().isEmpty)
    }

    @Test func largeBatchesKeepTheOrderOfIDs() async throws {
        let scratch = try Scratch()
        let repository = LocalRepository<Numbered>(directory: scratch.url)
        try await repository.saveAll((0..<200).map { Numbered(id: $0 * 77 % 200 * 2, text: "even") })
        try await repository.delete(8)
        try await repository.saveAll((100..<300).map { Numbered(id: $0, text: "new") })
        let expected = (0..<200).map { $0 * 2 }.filter { $0 != 8 && !(100..<300).contains($0) } + Array(100..<300)
        #expect(await repository.loadAll().map(\.id) == expected.sorted())
        #expect(await repository.page(offset: 50, limit: 3).map(\.text) == ["new", "new", "new"])
        #expect(await repository.page(offset: 3, limit: 2).map(\.id) == [6, 10])
    }

    @Test func pathsAreComparedWithoutLinks() async throws {
        let scratch = try Scratch()
        let link = scratch.url.appendingPathComponent("link")
        let real = scratch.url.appendingPathComponent("real")
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
        let first = LocalRepository<Chore>(directory: link, filename: "lists/a.json")
        let second = LocalRepository<Chore>(
            directory: real.appendingPathComponent("lists/../lists/"), filename: "a.json")
        #expect(first.core === second.core)
        #expect(first.problems.isEmpty)
        let other = LocalRepository<Chore>(directory: real, filename: "b.json")
        #expect(other.core !== first.core)
    }

    @Test func anotherTypeOfOnePathIsRefused() async throws {
        let scratch = try Scratch()
        let chores = LocalRepository<Chore>(directory: scratch.url)
        try await chores.save(Chore(id: "1", title: "a chore"))
        let drafts = LocalRepository<Draft>(directory: scratch.url)
        #expect(drafts.problems.map(\.code) == [.locked])
        let message = drafts.problems.first?.message ?? ""
        #expect(message.contains("open in this process for items of the type Chore, and not Draft"))
        let newer = LocalRepository<Chore>(directory: scratch.url, version: 2)
        #expect(newer.problems.first?.message.contains("as version 1 of Chore, and not 2") == true)
        let error = await #expect(throws: StoreError.self) { try await drafts.save(Draft(id: 1, text: "")) }
        #expect(error?.code == .locked)
        #expect(await chores.loadAll().count == 1)
    }

    @Test func anotherTypeIsAcceptedOnceTheFirstIsReleased() async throws {
        let scratch = try Scratch()
        for round in 0..<10 {
            try await LocalRepository<SharedChore>(directory: scratch.url)
                .save(SharedChore(id: "\(round)", title: "of one type", isDone: true))
            let chores = try LocalRepository<Chore>(opening: scratch.url)
            #expect(chores.count == round + 1)
        }
    }

    @Test func memoryIsWhatTheStoreHasAfterConcurrentWrites() async throws {
        let scratch = try Scratch()
        let repositories = (0..<3).map { _ in LocalRepository<Numbered>(directory: scratch.url) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<12 {
                group.addTask {
                    for step in 0..<40 {
                        let repository = repositories[(task + step) % 3]
                        let id = (task * 7 + step * 3) % 8
                        if (task + step) % 3 == 0 {
                            try await repository.delete(id)
                        } else {
                            try await repository.save(Numbered(id: id, text: "\(task) \(step)"))
                        }
                        if task == 0, step % 10 == 9 { try await repository.close() }
                    }
                }
            }
            try await group.waitForAll()
        }
        let memory = await repositories[0].loadAll().map { "\($0.id) \($0.text)" }
        try await repositories[1].close()
        let store = try await Store.open(at: scratch.path("data.json.heartwood"))
        let stored = try await store.repository(of: Numbered.self, named: "items")
        #expect(try await stored.fetch(Query()).map { "\($0.id) \($0.text)" } == memory)
        try await store.close()
    }

    @Test func aClosedStoreIsReadAndOpenedAgain() async throws {
        let scratch = try Scratch()
        let first = LocalRepository<Chore>(directory: scratch.url)
        let second = LocalRepository<Chore>(directory: scratch.url)
        try await first.save(Chore(id: "1", title: "one"))
        try await first.close()
        #expect(first.store == nil)
        #expect(await second.loadAll().count == 1)
        // Now it can be opened elsewhere, and what is written there is seen once it is open here again.
        let store = try await Store.open(at: scratch.path("data.json.heartwood"))
        let repository = try await store.repository(of: SharedChore.self, named: "items")
        try await repository.save(SharedChore(id: "2", title: "two", isDone: true))
        try await store.close()
        try await second.save(Chore(id: "3", title: "three"))
        #expect(await first.loadAll().map(\.id) == ["1", "2", "3"])
    }

    @Test func decodesOnlyWhatHasChanged() async throws {
        let scratch = try Scratch()
        let repository = LocalRepository<Counted>(directory: scratch.url)
        try await repository.saveAll((0..<100).map { Counted(id: $0, text: "text \($0)") })
        func decodings(_ body: () async throws -> Void) async rethrows -> Int {
            let before = Counted.decodings.load(ordering: .relaxed)
            try await body()
            return Counted.decodings.load(ordering: .relaxed) - before
        }
        #expect(await decodings { _ = await repository.loadAll() } == 100)
        #expect(await decodings { _ = await repository.loadAll() } == 0)
        #expect(await decodings { _ = await repository.find(by: 50) } == 0)
        try await repository.save(Counted(id: 50, text: "changed"))
        try await repository.delete(51)
        var items: [Counted] = []
        #expect(await decodings { items = await repository.loadAll() } == 1)
        #expect(items[50].text == "changed")
        #expect(await decodings { _ = await repository.page(offset: 10, limit: 10) } == 0)
        #expect(await repository.loadAll().count == 99)
    }

    @Test func savesAllAtOnceAndPages() async throws {
        let scratch = try Scratch()
        let repository = LocalRepository<Numbered>(directory: scratch.url)
        try await repository.saveAll([])
        try await repository.saveAll((0..<10).reversed().map { Numbered(id: $0, text: "") })
        try await repository.saveAll([Numbered(id: 3, text: "first"), Numbered(id: 3, text: "last")])
        #expect(await repository.find(by: 3)?.text == "last")
        #expect(await repository.page(offset: 0, limit: 3).map(\.id) == [0, 1, 2])
        #expect(await repository.page(offset: 8, limit: 5).map(\.id) == [8, 9])
        #expect(await repository.page(offset: 10, limit: 5).isEmpty)
        #expect(await repository.page(offset: -5, limit: 1).map(\.id) == [0])
        #expect(await repository.page(offset: .max, limit: .max).isEmpty)
        #expect(await repository.page(offset: 1, limit: -1).isEmpty)
    }

    @Test func anImageKeepsTheNewestOfWritesThatEndInAnyOrder() {
        var image = LocalImage()
        func change(_ text: String?) -> [LocalChange] {
            [LocalChange(id: [1], payload: text.map { Array($0.utf8) })]
        }
        for _ in 0..<3 { image.beginWrite() }
        image.endWrite(change("second"), 1, at: 2)
        image.endWrite(change(nil), 1, at: 3)
        image.endWrite(change("first"), 1, at: 1)
        #expect(image.records.isEmpty)
        image.beginWrite()
        image.endWrite(change("fourth"), 1, at: 4)
        #expect(image.records.map(\.revision) == [4])
        image.beginWrite()
        image.endWrite(change("failed"), 1, at: nil)
        #expect(image.record([1]).map { String(decoding: $0.payload, as: UTF8.self) } == "fourth")
    }
}

/// The same item as `Chore`, for a `Repository`, which needs it to be `Sendable`.
struct SharedChore: Codable, Identifiable, Sendable {
    var id: String
    var title: String
    var isDone: Bool
}

/// An item with an id that is ordered as a number.
struct Numbered: Codable, Identifiable, Sendable {
    var id: Int
    var text: String
}
