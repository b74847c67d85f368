// The example of a documentation comment in Sources/HeartwoodLocal/LocalRepository.swift.
import HeartwoodLocal

func localRepositoryExample() async throws {
    struct Item: Codable, Identifiable {
        var id: String
        var title: String
    }

    let repository = LocalRepository<Item>(filename: "items.json")
    try await repository.save(Item(id: "1", title: "Buy milk"))
    let items = await repository.loadAll()
    print(items.count)
}
