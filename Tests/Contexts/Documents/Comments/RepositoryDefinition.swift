// From Sources/HeartwoodRepository/RepositoryDefinition.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

extension City {
    static let repository = RepositoryDefinition<City>(
        "cities", indexes: [Index("population", \.population), Index("country", \.country, \.population)])
}

func openCities(_ store: Store) async throws -> Repository<City> {
    let cities = try await store.repository(City.repository)
    return cities
}
