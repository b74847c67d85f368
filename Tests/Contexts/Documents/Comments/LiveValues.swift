// From Sources/HeartwoodRepository/Observation/LiveValues.swift.
import HeartwoodRepository

func observeLargest(_ cities: Repository<City>, _ show: ([City]) -> Void) async throws {
    for try await largest in cities.observe(Query(sort: [.descending(\.population)], limit: 10)) {
        show(largest)
    }
}
