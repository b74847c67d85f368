import Foundation
import Heartwood
import HeartwoodFileSystem
import HeartwoodJobs
import HeartwoodRepository
import Hummingbird
import HummingbirdTesting
import Testing

@testable import CollectorService

extension Fixture {
    /// Runs the jobs of all hours that have a mark, and those that are in the queue, until none is left.
    func settle(_ collector: Collector) async throws {
        let summaries = try #require(collector.summaries)
        for hour in try await summaries.markedHours() { try await summaries.enqueue(hour) }
        clock.advance(by: .seconds(2 * 3_600))
        let workers = try #require(collector.services.compactMap { $0 as? JobWorkers }.first)
        async let running: Void = workers.run()
        var counts = try await summaries.queue.counts()
        while counts.due + counts.scheduled + counts.running > 0 {
            if counts.due + counts.running == 0 { clock.advance(by: .seconds(3_600)) }
            try await Task.sleep(for: .milliseconds(1))
            counts = try await summaries.queue.counts()
        }
        workers.stop()
        try await running
    }
}

/// The figures of an hour, counted in another way than by the service.
struct ReferenceCount: Equatable {
    var events = 0
    var bytes = 0
    var types: [String: Int] = [:]

    init(events: Int = 0, bytes: Int = 0, types: [String: Int] = [:]) {
        (self.events, self.bytes, self.types) = (events, bytes, types)
    }

    /// The figures of a summary that has no others.
    init(_ summary: HourSummary) {
        #expect(summary.others == 0)
        (events, bytes) = (summary.events, summary.bytes)
        types = Dictionary(uniqueKeysWithValues: summary.types.map { ($0.type, $0.events) })
    }

    /// Of each hour, from all events of a store, which Foundation reads.
    static func ofHours(_ store: any KeyValueStore) async throws -> [UInt32: ReferenceCount] {
        var hours: [UInt32: ReferenceCount] = [:]
        for entry in try await store.fetchEntries(in: EventKeys.events, reversed: false, limit: .max).entries {
            let id = try #require(EventKeys.id(entry.key))
            let object = try JSONSerialization.jsonObject(with: Data(entry.value)) as? [String: Any]
            let type = try #require(object?["type"] as? String)
            let number = UInt32(id.time / 1_000 / 60 / 60)
            hours[number, default: ReferenceCount()].events += 1
            hours[number, default: ReferenceCount()].bytes += entry.value.count
            hours[number, default: ReferenceCount()].types[type, default: 0] += 1
        }
        return hours
    }

    /// Compares all summaries with all events.
    static func check(_ collector: Collector) async throws {
        let store = try #require(collector.store)
        let summaries = try await collector.summaries?.records.loadAll() ?? []
        let found = Dictionary(uniqueKeysWithValues: summaries.map { ($0.id, ReferenceCount($0)) })
        let expected = try await ofHours(store)
        guard found == expected else { throw Difference(found: found, expected: expected) }
    }

    struct Difference: Error { var found, expected: [UInt32: ReferenceCount] }
}
