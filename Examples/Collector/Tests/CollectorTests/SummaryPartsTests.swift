import Heartwood
import Testing

@testable import CollectorService

/// What decides, without a store.
@Suite struct SummaryPartsTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)
    private static let hour = Hour(of: now.milliseconds)

    @Test func anHourIsItsMilliseconds() {
        #expect(Self.hour.number == 472_222)
        #expect("\(Self.hour)" == "2023-11-14T22:00:00.000Z")
        #expect(Hour(of: Self.hour.start.milliseconds) == Self.hour)
        #expect(Hour(of: Self.hour.end.milliseconds - 1) == Self.hour)
        #expect(Hour(of: Self.hour.end.milliseconds).number == Self.hour.number + 1)
        #expect(EventKeys.hour(ofMark: EventKeys.mark(Self.hour)) == Self.hour)
    }

    @Test func aWindowNeedsALifetimeAndARetentionOfHours() {
        #expect(SummaryWindow(lifetime: nil, retention: nil) == nil)
        #expect(SummaryWindow(lifetime: .seconds(86_400), retention: .seconds(60)) == nil)
        #expect(SummaryWindow(lifetime: .seconds(86_400), retention: SummaryWindow.shortestRetention) != nil)
        #expect(SummaryWindow(lifetime: .seconds(86_400), retention: nil) != nil)
    }

    /// An hour that is marked can be counted for an hour more, before its first event may expire.
    @Test(arguments: [4, 24, 30 * 24], [1, 365])
    func whatIsMarkedCanBeCounted(_ hours: Int, _ days: Int) throws {
        let window = try #require(
            SummaryWindow(lifetime: .seconds(days * 86_400), retention: .seconds(hours * 3_600)))
        for distance in -2...(400 * 24) {
            let hour = Hour(number: UInt32(Int(Self.hour.number) - distance))
            guard window.contains(hour, at: Self.now) else { continue }
            #expect(window.isComplete(hour, at: Self.now + .seconds(3_600)))
            #expect(distance >= -1 && distance < min(hours - 1, days * 24 + 1))
        }
        #expect(window.contains(Self.hour, at: Self.now))
        #expect(window.contains(Hour(number: Self.hour.number - 1), at: Self.now))
        // The first count, some minutes after the hour.
        #expect(window.isComplete(Self.hour, at: Self.hour.end + Summaries.delay + .seconds(1_800)))
    }

    @Test func onlyTheFirstRequestOfAnHourSetsTheMark() throws {
        let marks = HourMarks(try #require(SummaryWindow(lifetime: .seconds(86_400), retention: nil)))
        var hours = HourSet()
        hours.insert(Self.hour)
        hours.insert(Self.hour)
        let first = marks.plan(hours, now: Self.now)
        #expect(first.marks == [Self.hour] && first.closed == nil)
        // The commit of the first one isn't known yet.
        #expect(marks.plan(hours, now: Self.now).marks == [Self.hour])
        marks.committed(first, now: Self.now)
        let second = marks.plan(hours, now: Self.now)
        #expect(second.marks.isEmpty && second.closed == EventKeys.closed(Self.hour))
        // The condition didn't hold.
        #expect(marks.replan(second).marks == [Self.hour])
        #expect(marks.plan(hours, now: Self.now).marks == [Self.hour])
        // Other hours are marked each time.
        hours.insert(Hour(number: Self.hour.number - 1))
        marks.committed(first, now: Self.now)
        let both = marks.plan(hours, now: Self.now)
        #expect(both.marks == [Hour(number: Self.hour.number - 1)] && both.open == Self.hour)
        #expect(marks.plan(hours, now: Self.hour.end).marks.count == 2)
        marks.closed(Self.hour)
        #expect(marks.plan(hours, now: Self.now).marks.count == 2)
    }

    @Test func aSummaryNamesTheLargestTypes() {
        var count = HourCount()
        for type in 0..<60 {
            for _ in 0...type { count.add(Array("{\"type\":\"t\(type)\"}".utf8)) }
        }
        let summary = count.summary(of: Self.hour, counted: 7)
        #expect(summary.events == 60 * 61 / 2)
        #expect(summary.types.map(\.type) == (10..<60).reversed().map { "t\($0)" })
        #expect(summary.types.first?.events == 60)
        #expect(summary.others == 10 * 11 / 2)
    }

    @Test func typesDoNotFillTheMemory() {
        var count = HourCount()
        for type in 0..<(HourCount.maximumTypes + 500) { count.add(Array("{\"type\":\"\(type)\"}".utf8)) }
        // One that came in time is counted exactly; one that came too late is among the others.
        for _ in 0..<5 { count.add(Array(#"{"type":"3"}"#.utf8)) }
        for _ in 0..<9 { count.add(Array(#"{"type":"new"}"#.utf8)) }
        let summary = count.summary(of: Self.hour, counted: 7)
        #expect(summary.events == HourCount.maximumTypes + 514)
        #expect(summary.types.count == HourCount.namedTypes)
        #expect(summary.types.first == HourSummary.TypeCount(type: "3", events: 6))
        #expect(summary.others == summary.events - 6 - (HourCount.namedTypes - 1))
    }
}
