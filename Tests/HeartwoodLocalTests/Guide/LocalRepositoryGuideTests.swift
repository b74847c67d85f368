import Foundation
import HeartwoodLocal
import Observation
import Testing

/// The Swift of Documentation/LocalRepository.md.
@Suite("guide to local repositories") struct LocalRepositoryGuideTests {
    struct TodoV1: Codable, Identifiable, Sendable {
        var id: UUID
        var text: String
    }

    @Test @MainActor func viewModel() async throws {
        let scratch = try Scratch()
        let list = TodoList(repository: LocalRepository(directory: scratch.url))
        try await list.add("Buy milk")
        await list.load()
        #expect(list.todos.map(\.title) == ["Buy milk"])
        #expect(list.message == nil)
    }

    @Test func calls() async throws {
        let scratch = try Scratch()
        let directory = scratch.url
        let imported = (0..<150).map { Todo(id: UUID(), title: "title \($0)") }
        let repository = try LocalRepository<Todo>(opening: directory, filename: "todos.json")
        try await repository.saveAll(imported)  // all or nothing, in one write
        let page = await repository.page(offset: 100, limit: 50)
        print(repository.count, repository.problems)
        try await repository.close()
        #expect(page.count == 50)
        #expect(repository.count == 150)
    }

    @MainActor @Observable final class LiveTodoList {
        private(set) var todos: [Todo] = []
        private let repository: LocalRepository<Todo>

        init(repository: LocalRepository<Todo>) { self.repository = repository }

        /// In a view: `.task { await list.follow() }`.
        func follow() async {
            for await todos in repository.observe() { self.todos = todos }
        }
    }

    @Test @MainActor func viewModelThatStaysCurrent() async throws {
        let scratch = try Scratch()
        let repository = LocalRepository<Todo>(directory: scratch.url)
        let list = LiveTodoList(repository: repository)
        let task = Task { await list.follow() }
        try await repository.save(Todo(id: UUID(), title: "Buy milk"))
        while list.todos.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        #expect(list.todos.map(\.title) == ["Buy milk"])
        task.cancel()
    }

    @Test func undecodable() async throws {
        let scratch = try Scratch()
        let repository = LocalRepository<Todo>(directory: scratch.url)
        let todo = Todo(id: UUID(), title: "Buy milk")
        do {
            try await repository.save(todo)
        } catch let error as StoreError where error.code == .undecodable {
            print("some items could not be read: \(repository.problems)")
            try await repository.save(todo)
        }
        #expect(await repository.find(by: todo.id) == todo)
    }

    @Test func versions() async throws {
        let scratch = try Scratch()
        let directory = scratch.url
        let id = UUID()
        try scratch.write(#"[{"id":"\#(id)","text":"Buy milk"}]"#, to: "todos.json")
        let repository = LocalRepository<Todo>(
            directory: directory, filename: "todos.json", version: 2,
            migrations: [
                Migration(from: 1, to: 2) { (old: TodoV1) in Todo(id: old.id, title: old.text) }
            ])
        #expect(await repository.loadAll() == [Todo(id: id, title: "Buy milk")])
    }

    @Test func repositoryOfTheStore() async throws {
        let scratch = try Scratch()
        let directory = scratch.url
        let local = LocalRepository<Todo>(directory: directory, filename: "todos.json")
        try await local.save(Todo(id: UUID(), title: "Buy milk"))
        try await local.close()
        let path = directory.appendingPathComponent("todos.json.heartwood").path
        let store = try await Store.open(at: path)
        let todos = try await store.repository(
            of: Todo.self, named: "items", indexes: [Index("title", \.title)])
        let found = try await todos.fetch(where: \.title == "Buy milk")
        try await store.close()
        #expect(found.count == 1)
    }
}
