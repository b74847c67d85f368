import Foundation
import HeartwoodLocal
import Testing

@Suite("the pattern's calls") struct PatternTests {
    @Test func savesFindsAndDeletes() async throws {
        let scratch = try Scratch()
        let repository = LocalRepository<Chore>(directory: scratch.url)
        #expect(await repository.loadAll().isEmpty)
        #expect(await repository.find(by: "a") == nil)
        try await repository.save(Chore(id: "b", title: "second"))
        try await repository.save(Chore(id: "a", title: "first"))
        try await repository.save(Chore(id: "a", title: "replaced"))
        #expect(await repository.find(by: "a") == Chore(id: "a", title: "replaced"))
        #expect(await repository.loadAll().map(\.title) == ["replaced", "second"])
        try await repository.delete("a")
        try await repository.delete("never there")
        #expect(await repository.loadAll().map(\.id) == ["b"])
        #expect(repository.count == 1)
        #expect(repository.problems.isEmpty)
    }

    @Test @MainActor func servesAnObservableOfTheMainActor() async throws {
        let scratch = try Scratch()
        let list = ChoreList(repository: LocalRepository(directory: scratch.url, filename: "chores.json"))
        await list.load()
        #expect(list.chores.isEmpty)
        await list.add(Chore(id: "1", title: "water the plants"))
        await list.add(Chore(id: "2", title: "read"))
        try await list.finish("2")
        #expect(list.chores.map(\.isDone) == [false, true])
        try await list.remove("1")
        #expect(list.chores.map(\.id) == ["2"] && list.failure == nil)
        #expect(try scratch.names() == ["chores.json.heartwood"])
    }

    @Test func servesAnObservableWithoutAnActor() async throws {
        let scratch = try Scratch()
        let list = RoomList(repository: LocalRepository<Room>(directory: scratch.url, filename: "rooms.json"))
        let kitchen = Room.Number(floor: 0, door: 2)
        try await list.add(Room(id: kitchen, name: "kitchen"))
        try await list.add(Room(id: Room.Number(floor: 1, door: 1), name: "bath"))
        try await list.remove(kitchen)
        #expect(list.rooms.map(\.name) == ["bath"])
    }

    @Test func servesAnActorAndTasks() async throws {
        let scratch = try Scratch()
        let service = ChoreService(directory: scratch.url)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { try await service.addAll(["\(number) a", "\(number) b"]) }
            }
            try await group.waitForAll()
        }
        #expect(await service.titles().count == 40)
        let repository = LocalRepository<Chore>(directory: scratch.url)
        async let all = repository.loadAll()
        async let one = repository.find(by: "7 a")
        #expect(await all.count == 40)
        #expect(await one?.title == "7 a")
        let task = Task { try await repository.delete("7 a") }
        try await task.value
        #expect(await Task.detached { await repository.find(by: "7 a") }.value == nil)
    }

    @Test func servesAProtocolAndGenericCode() async throws {
        let scratch = try Scratch()
        let source = LocalRepository<Chore>(directory: scratch.url, filename: "source.json")
        let storage: any ChoreStorage = source
        try await storage.save(Chore(id: "x", title: "copied"))
        let target = LocalRepository<Chore>(directory: scratch.url, filename: "target.json")
        try await copy(from: source, to: target)
        #expect(await target.find(by: "x")?.title == "copied")
        try await storage.delete("x")
        #expect(await storage.find(by: "x") == nil)
        #expect(await storage.loadAll().isEmpty)
    }

    @Test @MainActor func servesItemsThatAreNotSendable() async throws {
        let scratch = try Scratch()
        let repository = LocalRepository<Draft>(directory: scratch.url)
        let draft = Draft(id: 7, text: "first")
        try await repository.save(draft)
        // It was encoded, and isn't kept: changing it changes nothing there.
        draft.text = "changed"
        let found = await repository.find(by: 7)
        #expect(found?.text == "first")
        #expect(found !== draft)
        try await repository.saveAll([draft, Draft(id: 8, text: "other")])
        let all = await repository.loadAll()
        #expect(all.map(\.text) == ["changed", "other"])
        let again = await repository.page(offset: 1, limit: 5)
        #expect(again.map(\.text) == ["other"])
        #expect(again[0] !== all[1])
        try await repository.delete(7)
        #expect(await repository.find(by: 7) == nil)
    }

    @Test func sendsItemsThatAreNotSendableToAnotherTask() async throws {
        let scratch = try Scratch()
        let repository = LocalRepository<Draft>(directory: scratch.url)
        try await repository.save(Draft(id: 1, text: "sent"))
        let drafts = await repository.loadAll()
        let text = await Task { drafts.map(\.text).joined() }.value
        #expect(text == "sent")
        let draft = await repository.find(by: 1)
        #expect(await Task { draft?.text }.value == "sent")
    }

    @Test func survivesReopening() async throws {
        let scratch = try Scratch()
        try await LocalRepository<Chore>(directory: scratch.url).save(Chore(id: "1", title: "kept"))
        // The store of a repository that was released may still be closing.
        for _ in 0..<20 {
            let repository = LocalRepository<Chore>(directory: scratch.url)
            #expect(await repository.loadAll().map(\.title) == ["kept"])
            #expect(repository.problems.isEmpty)
        }
    }

    @Test func savesInACancelledTask() async throws {
        let scratch = try Scratch()
        let repository = LocalRepository<Chore>(directory: scratch.url)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await repository.save(Chore(id: "1", title: "written"))
        }
        task.cancel()
        try await task.value
        #expect(repository.count == 1)
    }

    @Test func throwsForAnItemThatCantBeEncoded() async throws {
        struct Measure: Codable, Identifiable {
            var id: Int
            var value: Double
        }
        let scratch = try Scratch()
        let repository = LocalRepository<Measure>(directory: scratch.url)
        await #expect(throws: (any Error).self) { try await repository.save(Measure(id: 1, value: .nan)) }
        #expect(repository.count == 0)
    }
}
