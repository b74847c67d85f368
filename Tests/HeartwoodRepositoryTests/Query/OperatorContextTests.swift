import Foundation
import HeartwoodRepository
import Testing

/// The operators in every context in which calls are written; without `@testable`, as in a user's program.
@Suite("Operators compile in every context")
struct OperatorContextTests {
    struct City: Sendable {
        struct Mayor: Sendable { var name: String }

        var name = "Reykjavik"
        var country = "IS"
        var population = 139_875
        var height: Double? = 37
        var tags = ["harbour"]
        var mayor: Mayor?
    }

    static let constant: Filter<City> = \.population >= 100_000 && \.country == "IS"

    actor Cities {
        var least = 10

        func filter() -> Filter<City> {
            \.population >= least && (\.country == "IS" || \.country == "NO") && \.height < 100
        }
    }

    @MainActor
    final class Screen {
        var text = "Rey"

        var query: Query<City> {
            Query(
                where: .hasPrefix(\.name, text) && \.population >= 1_000_000 && \.country != "NO"
                    || .contains(\.tags, "harbour") && !.isIn(\.country, ["NO", "SE"]) && .isIn(\.height, 0...50),
                sort: [.ascending(\.country), .descending(\.population)], limit: 10)
        }
    }

    @Test("Actors, the main actor, static properties, closures and tasks")
    func contexts() async throws {
        let city = City()
        #expect(try Self.constant.matches(city))
        #expect(try await Cities().filter().matches(city))
        let query = await Screen().query
        #expect(try query.filter.matches(city))
        let inferred = \City.population > 5 && \City.mayor?.name == nil
        #expect(try await Task { try inferred.matches(city) }.value)
        let build: @Sendable (Int) -> Filter<City> = { least in \.population >= least || \.height == nil }
        #expect(try build(1).matches(city))
        let predicate = Filter(#Predicate<City> { $0.country == "IS" && $0.name.count > 5 })
        #expect(try (predicate && \.population < 1_000_000).matches(city))
    }
}
