import HTTPTypes
import Heartwood
import HeartwoodTesting
import HummingbirdTesting
import Testing

@testable import CollectorService

/// The disk crashes at each of its calls, while events are written and hours are summarised.
@Suite(.timeLimit(.minutes(20))) struct SummaryCrashTests {
    @Test func noSummaryIsLostOrCountsTwice() async throws {
        let report = try await CrashTest(statesPerMoment: 3).run { disk in
            let fixture = Fixture(on: disk)
            try await fixture.runCollector { client, collector in
                let first = fixture.clock.now()
                for number in 0..<3 {
                    // Two hours in each request; in the later requests the first hour is late.
                    let late = #"{"type":"late","time":\#(first.milliseconds)}"#
                    let body = #"{"type":"a"}"# + "\n" + late
                    #expect(try await client.post(body).status == .created)
                    disk.note(2)
                    if number < 2 { try await fixture.settle(collector) }
                }
            }
        } check: { disk, crash in
            let fixture = Fixture(on: disk)
            // Later than all times of the run.
            fixture.clock.advance(by: .seconds(12 * 3_600))
            let store = try await fixture.open()
            let collector = try await fixture.collector(store)
            let events = try await store.fetchCount(in: EventKeys.events)
            guard events >= crash.notes(of: Int.self).reduce(0, +) else { throw EventsLost() }
            try await fixture.settle(collector)
            try await ReferenceCount.check(collector)
            try await store.end()
        }
        #expect(report.crashes > 50)
    }

    private struct EventsLost: Error {}
}
