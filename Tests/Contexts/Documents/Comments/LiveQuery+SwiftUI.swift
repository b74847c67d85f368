// From Sources/HeartwoodRepository/LiveQuery+SwiftUI.swift. Not compiled on Linux.
#if canImport(SwiftUI)
import HeartwoodRepository
import SwiftUI

struct CityList: View {
    @Live(Query<City>(sort: [.descending(\.population)], limit: 10)) private var cities
    var body: some View { List(cities.items) { Text($0.name) } }
}
// above it: .repository(cities)
#endif
