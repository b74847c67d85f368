// From Sources/HeartwoodRepository/Indexes/Index.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

func cityIndexes() -> Int {
    let indexes: [Index<City>] = [
        Index("name", \.name),
        Index("country-population", \.country, \.population),      // compound: in this order
        .unique("code", \.code),
        Index("tag", .each(\.tags)),                               // an entry for each element
    ]
    return indexes.count
}
