import HeartwoodRepository

/// A city, with the names of its file.
struct City: Codable, Identifiable, Sendable, Hashable {
    var id: Int
    var name: String
    var country: String
    var population: Int

    enum CodingKeys: String, CodingKey {
        case id = "geonameid"
        case country = "countrycode"
        case name, population
    }
}

extension City {
    static let repository = RepositoryDefinition<City>(
        "cities", indexes: [Index("country-population", \.country, \.population)])

    /// What the table shows.
    static func largest(in country: String) -> Query<City> {
        Query(where: \.country == country, sort: [.descending(\.population)], limit: 15)
    }

    /// The key with the last table of the writer, as JSON.
    static let lastTableKey = "watch/last"
}
