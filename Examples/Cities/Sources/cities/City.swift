import HeartwoodRepository

/// A city, as the file has it. The store has the same JSON; queries name the properties.
struct City: Codable, Identifiable, Sendable, Hashable {
    var id: Int
    var name: String
    var country: String
    var population: Int
    var latitude: Double
    var longitude: Double
    var timezone: String

    enum CodingKeys: String, CodingKey {
        case id = "geonameid"
        case country = "countrycode"
        case name, population, latitude, longitude, timezone
    }
}

extension City {
    /// The repository with its three indexes.
    static let repository = RepositoryDefinition<City>(
        "cities",
        indexes: [
            Index("name", \.name),
            Index("population", \.population),
            Index("country-population", \.country, \.population),
        ])
}
