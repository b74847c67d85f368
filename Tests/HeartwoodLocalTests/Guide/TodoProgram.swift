import Foundation
import HeartwoodLocal
import Observation

struct Todo: Codable, Identifiable, Sendable, Equatable {
    var id: UUID
    var title: String
    var isDone = false
}

@MainActor
@Observable
final class TodoList {
    private(set) var todos: [Todo] = []
    private(set) var message: String?
    private let repository: LocalRepository<Todo>

    init(repository: LocalRepository<Todo> = LocalRepository<Todo>(filename: "todos.json")) {
        self.repository = repository
    }

    func load() async {
        todos = await repository.loadAll()
        message = repository.problems.first?.message
    }

    func add(_ title: String) async throws {
        try await repository.save(Todo(id: UUID(), title: title))
        todos = await repository.loadAll()
    }
}
