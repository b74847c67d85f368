// From Sources/HeartwoodRepository/Query/Query.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

func largestQuery() -> Query<City> {
    let query = Query<City>(
        where: \.country == "IS" && \.population >= 1_000, sort: [.descending(\.population)], limit: 10)
    return query
}
