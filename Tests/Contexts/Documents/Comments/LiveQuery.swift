// From Sources/HeartwoodRepository/Observation/LiveQuery.swift.
import HeartwoodRepository

@MainActor func showLargest(_ cities: Repository<City>, _ show: (String) -> Void) {
    let largest = LiveQuery(Query(sort: [.descending(\.population)], limit: 10), in: cities)
    // in a view, or wherever `Observable` is observed:
    for city in largest.items { show(city.name) }
}
