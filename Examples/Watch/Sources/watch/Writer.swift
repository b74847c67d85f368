import Foundation
import Heartwood
import HeartwoodRepository

/// The process that writes: saves all cities, then changes those of a country.
enum Writer {
    /// - Parameter seconds: How long it makes changes; 0 for as long as it runs.
    static func run(at directory: String, country: String, seconds: Int) async throws {
        let decoder = JSONDecoder()
        var all: [City] = []
        while let line = readLine() { all.append(try decoder.decode(City.self, from: Data(line.utf8))) }
        var changing = all.filter { $0.country == country }
        guard changing.count >= 2 else { throw Failure("there are fewer than two cities in \(country)") }
        changing.sort { $0.population > $1.population }

        var configuration = Store.Configuration()
        configuration.durability = .written
        try await Store.withStore(at: directory, configuration: configuration) { store in
            let cities = try await store.repository(City.repository)
            try await cities.save(all)
            let end = seconds == 0 ? nil : ContinuousClock.now + .seconds(seconds)
            while end.map({ ContinuousClock.now < $0 }) ?? true {
                // Up to three of the largest cities, in one batch.
                var changed: Set<Int> = []
                for _ in 1...Int.random(in: 1...3) {
                    let index = Int.random(in: 0..<min(20, changing.count))
                    changing[index].population += changing[index].population * Int.random(in: -20...20) / 100
                    changed.insert(index)
                }
                try await cities.save(changed.map { changing[$0] })
                try await Task.sleep(for: .milliseconds(Int.random(in: 50...400)))
            }
            // From this process's own memory, not from the store: the other process compares its table with it.
            let last = changing.sorted { ($0.population, $0.id) > ($1.population, $1.id) }.prefix(15)
            try await store.put(City.lastTableKey, Array(try JSONEncoder().encode(Array(last))))
        }
    }
}
