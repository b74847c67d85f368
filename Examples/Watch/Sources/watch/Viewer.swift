import Foundation
import Heartwood
import HeartwoodRepository

/// The process that shows: reads the files of the other process's store, and draws the table after each change.
enum Viewer {
    /// - Parameter seconds: How long the writer makes changes; 0 if it doesn't end.
    static func run(at directory: String, country: String, seconds: Int) async throws {
        let (store, cities) = try await opened(directory)
        let table = Table(country: country)
        let drawing = Task {
            for try await largest in cities.observe(City.largest(in: country)) { await table.draw(largest) }
        }
        guard seconds > 0 else { return try await drawing.value }

        let waiting = Task {
            for try await entry in store.observe(City.lastTableKey) {
                if let entry { return try JSONDecoder().decode([City].self, from: Data(entry.value)) }
            }
            throw Failure("the store was closed")
        }
        let timeout = Task {
            try await Task.sleep(for: .seconds(seconds + 60))
            waiting.cancel()
        }
        let last = try await waiting.value
        timeout.cancel()
        // The two observations are independent: the table may need a moment to get there.
        for _ in 0..<1_000 where await table.rows != last { try await Task.sleep(for: .milliseconds(10)) }
        drawing.cancel()
        let (rows, updates) = await (table.rows, table.updates)
        guard rows == last else { throw Failure("the last table isn't what was written: \(last)") }
        print("\(updates) updates; the last table equals what the other process wrote")
    }

    /// The store, as soon as the other process has made it.
    private static func opened(_ directory: String) async throws -> (ReadOnlyStore, ReadOnlyRepository<City>) {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            do {
                let store = try await ReadOnlyStore.open(at: directory, level: .visible)
                return (store, try await store.readOnlyRepository(City.repository))
            } catch {
                guard error.code == .notFound, ContinuousClock.now < end else { throw error }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}
