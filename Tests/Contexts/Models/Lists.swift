// View models in the shapes of the pattern whose place `LocalRepository` takes, and an item that isn't Sendable.
import HeartwoodLocal
import Observation

nonisolated final class Draft: Codable, Identifiable {
    let id: Int
    var text = ""

    init(id: Int) { self.id = id }
}

@MainActor
@Observable
final class UserList {
    private(set) var users: [User] = []
    private let repository: LocalRepository<User>

    nonisolated init(repository: LocalRepository<User> = LocalRepository<User>()) { self.repository = repository }

    func load() async { users = await repository.loadAll() }

    func add(_ user: User) async throws {
        try await repository.save(user)
        users = await repository.loadAll()
    }
}

@MainActor
@Observable
class DraftList {
    private(set) var drafts: [Draft] = []
    private let repository: LocalRepository<Draft>

    init(repository: LocalRepository<Draft> = LocalRepository(filename: "drafts.json")) {
        self.repository = repository
    }

    func add(_ draft: Draft) async throws {
        try await repository.save(draft)
        drafts = await repository.loadAll()
    }

    func remove(_ id: Int) async throws {
        try await repository.delete(id)
        drafts = await repository.loadAll()
    }
}

@Observable
class PlainList {
    private(set) var users: [User] = []
    private let repository: LocalRepository<User>

    init(repository: LocalRepository<User> = LocalRepository<User>(filename: "users.json")) {
        self.repository = repository
    }

    func remove(_ id: Int) async throws {
        try await repository.delete(id)
        users = await repository.loadAll()
    }
}
