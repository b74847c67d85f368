// From Sources/HeartwoodRepository/Query/Sort.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

func sortedQuery() -> Query<City> {
    let query = Query<City>(sort: [.ascending(\.country), .descending(\.population)])
    return query
}
