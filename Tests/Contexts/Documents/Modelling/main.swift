// A Swift block of README.md, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

let store = try await Store.open(at: "app.store")

struct City: Codable, Identifiable, Sendable {
    var id: Int, name: String, country: String, population: Int
}

let cities = try await store.repository(
    of: City.self, named: "cities", indexes: [Index("country", \.country, \.population)])
try await cities.save(City(id: 1, name: "Reykjavík", country: "IS", population: 118_918))
try await cities.update(1) { $0.population += 1 }               // atomic; nil if there is no such record
let largest = try await cities.fetch(                           // read from the index, no further than the limit
    where: \.country == "IS" && \.population >= 1_000, sort: [.descending(\.population)], limit: 10)

print(largest.count)

let query = Query<City>(where: \.country == "IS", sort: [.descending(\.population)], limit: 10)
for try await largest in cities.observe(query) {
    print(largest.map(\.name))
}
