internal import Foundation
internal import Heartwood
internal import HeartwoodRepository

/// A store with two repositories, for tests and for the examples of documents: the tool can't make one.
enum ExampleStore {
    struct City: Codable, Identifiable, Sendable {
        var id: Int
        var name: String
        var country: String
        var population: Int
    }

    struct User: Codable, Identifiable, Sendable {
        var id: String
        var name: String
        var email: String?
        var joined: Date
    }

    /// JSON whose members are always in the same order.
    private static let json: JSONCoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return JSONCoder(encoder: encoder)
    }()

    static let cities = RepositoryDefinition<City>(
        "cities", indexes: [Index("name", \.name), Index("country-population", \.country, \.population)], coder: json)

    static let users = RepositoryDefinition<User>(
        "users", version: 2, indexes: [.unique("email", \.email)], coder: .propertyList)

    static func make(at directory: URL) async throws {
        try await Store.withStore(at: directory.path) { store in
            let cities = try await store.repository(cities)
            try await cities.save([
                City(id: 2_633_274, name: "Akureyri", country: "IS", population: 16_563),
                City(id: 3_040_051, name: "les Escaldes", country: "AD", population: 15_853),
                City(id: 3_041_563, name: "Andorra la Vella", country: "AD", population: 20_430),
                City(id: 3_413_829, name: "Reykjavík", country: "IS", population: 118_918),
            ])
            let users = try await store.repository(users)
            let joined = Date(timeIntervalSince1970: 1_767_225_600)
            try await users.save(User(id: "ada", name: "Ada", email: "ada@example.org", joined: joined))
            try await users.save(
                User(id: "42", name: "Douglas", email: nil, joined: joined), expires: .after(.seconds(86_400)))
        }
    }
}

extension Sandbox {
    /// Makes the example store, named "app".
    func makeExampleStore() async throws {
        try await ExampleStore.make(at: directory.appendingPathComponent("app"))
    }
}
