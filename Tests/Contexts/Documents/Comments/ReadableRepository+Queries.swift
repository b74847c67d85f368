// From Sources/HeartwoodRepository/ReadableRepository+Queries.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

func someQueries(_ cities: Repository<City>) async throws {
    do {
        let query = Query<City>(where: \.country == "IS", sort: [.descending(\.population)], limit: 10)
        let largest = try await cities.fetch(query)
        print(largest.count)
    }
    do {
        let capitals = try await cities.fetch(where: \.isCapital == true && \.population > 1_000_000)
        print(capitals.count)
    }
    let query = Query<City>()
    print(try await cities.explain(query))
    for try await city in cities.results(of: Query(where: \.country == "IS")) { print(city.name) }
}
