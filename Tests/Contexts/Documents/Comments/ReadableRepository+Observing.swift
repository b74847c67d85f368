// From Sources/HeartwoodRepository/Observation/ReadableRepository+Observing.swift.
import HeartwoodRepository

func observeCity(_ cities: Repository<City>) async throws {
    for try await city in cities.observe(1) { print(city?.population ?? 0) }
}

func observeLargest(of cities: Repository<City>) async throws {
    let query = Query<City>(where: \.country == "IS", sort: [.descending(\.population)], limit: 10)
    for try await largest in cities.observe(query) { print(largest.map(\.name)) }
}
