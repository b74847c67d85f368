import Testing

@testable import heartwood_bench

struct MeasuringTests {
    @Test func stopwatchesStopAtTheirLimit() {
        var watch = Stopwatch(deadline: .max, limit: 100, interval: 16)
        var count = 0
        while watch.next() { count += 1 }
        // Groups of 16, and one of 4.
        #expect(count == 100 && watch.count == 100 && watch.latencies.count == 7)
    }

    @Test func stopwatchesStopAtTheirDeadline() {
        var watch = Stopwatch(deadline: Ticks.now + 2_000_000, interval: 1)
        while watch.next() {}
        #expect(watch.end >= watch.deadline && watch.latencies.count == watch.count)
    }

    @Test func aRunWithoutOperationsHasNoLatencies() {
        #expect(Measured(0, since: 0, to: 1).run.latency == nil)
    }

    /// A step that blocks delays the steps that become due meanwhile.
    @Test func latencyCountsFromWhenAStepWasDue() async throws {
        let start = Ticks.now
        let pace = Pace(rate: 1_000, nanoseconds: 200_000_000, since: start)
        var count = 0
        let steps = try await pace.steps {
            count += 1
            if count == 10 { Ticks.sleep(from: 0, until: 50_000_000) }
        }
        #expect(steps.count == 200)
        #expect(steps.latencies.percentile(90) > 5_000_000)
        #expect(steps.stalls.count >= 1)
    }

    @Test func tasksOfATeamRunOnTheirOwnThreads() async throws {
        let team = Team(50, onThreads: true)
        defer { team.disband() }
        let numbers = try await team.run { number in
            // All sleep at the same time, on any number of cores.
            Ticks.sleep(from: 0, until: 20_000_000)
            return number
        }
        #expect(numbers == Array(0..<50))
    }
}
