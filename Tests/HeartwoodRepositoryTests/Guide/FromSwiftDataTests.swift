import Foundation
import Heartwood
import HeartwoodRepository
import Observation
import Testing

struct Trip: Codable, Identifiable, Sendable, Hashable {
    var id = UUID()
    var code: String
    var destination: String
    var start: Date
    var isBooked = false

    static let repository = RepositoryDefinition<Trip>(
        "trips", indexes: [.unique("code", \.code), Index("destination", \.destination, \.start)])
}

private let day = Date(timeIntervalSince1970: 1_790_000_000)
private let samples = [
    Trip(code: "A1", destination: "Lisbon", start: day),
    Trip(code: "B2", destination: "Oslo", start: day.addingTimeInterval(86_400)),
    Trip(code: "C3", destination: "Lisbon", start: day.addingTimeInterval(2 * 86_400), isBooked: true),
]

/// A repository for tests and previews, filled with sample data.
func sampleTrips() async throws -> Repository<Trip> {
    let store = try Store.inMemory()
    let trips = try await store.repository(Trip.repository)
    try await trips.insert(samples)
    return trips
}

/// The examples of Documentation/FromSwiftData.md, which has them from here.
@Suite struct FromSwiftDataTests {
    @Test func opens() async throws {
        let directory = NSTemporaryDirectory() + "heartwood-trips-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }

        let store = try await Store.open(at: directory)
        let trips = try await store.repository(Trip.repository)

        #expect(try await trips.count() == 0)
        try await store.close()
    }

    @Test func fetches() async throws {
        let trips = try await sampleTrips()
        let day = day

        let next = try await trips.fetch(
            where: \.destination == "Lisbon" && \.start >= day, sort: [.ascending(\.start)], limit: 10)
        let unbooked = try await trips.fetch(where: Filter(#Predicate { !$0.isBooked }))
        let count = try await trips.count(where: \.destination == "Lisbon")

        #expect(next.map(\.code) == ["A1", "C3"])
        #expect(Set(unbooked.map(\.code)) == ["A1", "B2"])
        #expect(count == 2)
    }

    @Test func getsOne() async throws {
        let trips = try await sampleTrips()
        let id = samples[0].id

        let byID = try await trips.find(by: id)  // nil if there is none
        let byCode = try await trips.first(where: \.code == "B2")  // one key of the unique index
        let first = try await trips.first(where: \.destination == "Lisbon", sort: [.ascending(\.start)])

        #expect(byID == samples[0])
        #expect(byCode == samples[1])
        #expect(first == samples[0])
    }

    @Test func insertsAndUpdates() async throws {
        let trips = try await sampleTrips()
        let id = samples[1].id

        try await trips.insert(Trip(code: "D4", destination: "Rome", start: .now))  // throws if the id or code is taken
        try await trips.update(id) { trip in  // atomic; nil if there is no such trip
            trip.isBooked = true
        }

        #expect(try await trips.find(by: id)?.isBooked == true)
        await #expect(throws: StoreError.self) {
            try await trips.insert(Trip(code: "D4", destination: "Bern", start: .now))
        }
        #expect(try await trips.count() == 4)
    }

    @Test func deletes() async throws {
        let trips = try await sampleTrips()
        let id = samples[1].id

        try await trips.delete(id)
        let past = try await trips.delete(where: \.start < day.addingTimeInterval(1))
        let others = try await trips.deleteAll()

        #expect((past, others) == (1, 1))
    }

    @Test func savesSeveral() async throws {
        let store = try Store.inMemory()
        let trips = try await store.repository(Trip.repository)
        try await trips.insert(samples)
        let (old, new) = (samples[0], Trip(code: "E5", destination: "Porto", start: day))

        try await store.transaction { transaction in  // all of it or nothing
            try await trips.delete(old.id, in: transaction)
            try await trips.insert(new, in: transaction)
        }

        #expect(try await trips.find(by: old.id) == nil)
        #expect(try await trips.find(by: new.id) == new)
    }

    actor Planner {
        let trips: Repository<Trip>

        init(_ trips: Repository<Trip>) { self.trips = trips }

        /// The trips themselves, for any actor: a trip is a value, and needs no context.
        func upcoming(_ limit: Int) async throws -> [Trip] {
            try await trips.fetch(where: .all, sort: [.ascending(\.start)], limit: limit)
        }
    }

    @Test func valuesCrossActors() async throws {
        let planner = Planner(try await sampleTrips())
        #expect(try await planner.upcoming(2).map(\.code) == ["A1", "B2"])
    }

    @MainActor final class TripList {
        /// All trips, also those that other tasks change: read its `items` in a view.
        let trips: LiveQuery<Trip>

        init(_ repository: Repository<Trip>) {
            trips = LiveQuery(Query(sort: [.ascending(\.start)]), in: repository)
        }
    }

    @Test @MainActor func listsFollowChanges() async throws {
        let store = try Store.inMemory()
        let trips = try await store.repository(Trip.repository)
        try await trips.insert(samples)
        let list = TripList(trips)

        while list.trips.items.count < 3 { try await Task.sleep(for: .milliseconds(1)) }
        try await trips.delete(samples[0].id)
        while list.trips.items.count > 2 { try await Task.sleep(for: .milliseconds(1)) }

        #expect(list.trips.items.map(\.code) == ["B2", "C3"])
    }
}
