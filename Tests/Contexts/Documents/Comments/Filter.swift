// From Sources/HeartwoodRepository/Query/Filters/Filter.swift, with the spacing that it has there.
// swift-format-ignore-file
import Foundation
import Heartwood
import HeartwoodRepository

func someFilters() -> [Filter<City>] {
    let large: Filter<City> = \.population >= 1_000_000 && \.country != "IS"
    let named: Filter<City> = .hasPrefix(\.name, "Rey") || .isIn(\.code, ["IS", "NO"])
    let tagged: Filter<City> = .contains(\.tags, "harbour") && \.mayor == nil && .isIn(\.height, 0.0...500.0)
    let filter = Filter(#Predicate<City> { $0.country == "IS" && $0.name.count > 5 })
    return [large, named, tagged, filter]
}
