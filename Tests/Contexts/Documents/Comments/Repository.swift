// From Sources/HeartwoodRepository/Repository.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

func firstCities() async throws {
    struct City: Codable, Identifiable, Sendable {
        var id: Int
        var name: String
        var country: String
        var population: Int
    }

    let store = try await Store.open(at: "app.store")
    let cities = try await store.repository(
        of: City.self, named: "cities", indexes: [Index("country", \.country, \.population)])
    try await cities.save(City(id: 1, name: "Reykjavík", country: "IS", population: 118_918))
    let largest = try await cities.fetch(
        where: \.country == "IS", sort: [.descending(\.population)], limit: 10)
    print(largest.count)
}

private typealias User = Member

func openMembers(_ store: Store) async throws {
    let users = try await store.repository(of: User.self, named: "users", indexes: [.unique("email", \.email)])
    print(users.name)
}
