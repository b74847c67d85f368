// From Sources/HeartwoodRepository/Query/Running/QuerySource+Results.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

func showPages(_ cities: Repository<City>, _ query: Query<City>, _ show: ([City]) -> Void) async throws {
    var cursor: QueryCursor?
    repeat {
        let page = try await cities.page(query, limit: 50, after: cursor)
        show(page.models)
        cursor = page.next
    } while cursor != nil
}
