import Foundation
import HeartwoodLocal
import Observation

// A program in the shapes of the pattern whose place 'LocalRepository' takes. It imports nothing else of this package.

struct Chore: Codable, Identifiable, Equatable {
    var id: String
    var title: String
    var isDone = false
}

struct Room: Codable, Identifiable, Hashable, Sendable {
    struct Number: Codable, Hashable, Sendable {
        var floor: Int
        var door: Int
    }

    var id: Number
    var name: String
}

/// An item that can't be shared between actors.
final class Draft: Codable, Identifiable {
    let id: Int
    var text: String

    init(id: Int, text: String) { (self.id, self.text) = (id, text) }
}

@MainActor
@Observable
final class ChoreList {
    private(set) var chores: [Chore] = []
    private(set) var failure: String?
    private let repository: LocalRepository<Chore>

    init(repository: LocalRepository<Chore> = LocalRepository<Chore>()) { self.repository = repository }

    func load() async { chores = await repository.loadAll() }

    func add(_ chore: Chore) async {
        do {
            try await repository.save(chore)
            chores = await repository.loadAll()
        } catch {
            failure = error.localizedDescription
        }
    }

    func remove(_ id: Chore.ID) async throws {
        try await repository.delete(id)
        chores = await repository.loadAll()
    }

    func finish(_ id: String) async throws {
        guard var chore = await repository.find(by: id) else { return }
        chore.isDone = true
        try await repository.save(chore)
        await load()
    }
}

/// The same without an actor, and not final.
@Observable
class RoomList {
    private(set) var rooms: [Room] = []
    private let repository: LocalRepository<Room>

    init(repository: LocalRepository<Room> = LocalRepository<Room>(filename: "rooms.json")) {
        self.repository = repository
    }

    func add(_ room: Room) async throws {
        try await repository.save(room)
        rooms = await repository.loadAll()
    }

    func remove(_ id: Room.Number) async throws {
        try await repository.delete(id)
        rooms = await repository.loadAll()
    }
}

/// An actor around the repository, as services are.
actor ChoreService {
    private let repository: LocalRepository<Chore>

    init(directory: URL, repository: LocalRepository<Chore>? = nil) {
        self.repository = repository ?? LocalRepository(directory: directory)
    }

    func addAll(_ titles: [String]) async throws {
        for title in titles { try await repository.save(Chore(id: title, title: title)) }
    }

    func titles() async -> Set<String> { Set(await repository.loadAll().map(\.title)) }
}

/// Code that knows nothing of the item.
func copy<Item: Codable & Identifiable>(
    from source: LocalRepository<Item>, to target: LocalRepository<Item>
) async throws where Item.ID: Codable {
    for item in await source.loadAll() { try await target.save(item) }
}

/// The pattern's protocol for view models that are tested with another implementation.
protocol ChoreStorage: Sendable {
    func save(_ item: Chore) async throws
    func delete(_ id: String) async throws
    func find(by id: String) async -> Chore?
    func loadAll() async -> [Chore]
}

extension LocalRepository: ChoreStorage where T == Chore {}
