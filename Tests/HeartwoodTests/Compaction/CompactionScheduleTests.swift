import Testing

@testable import Heartwood

/// When the next compaction is due.
@Suite struct CompactionScheduleTests {
    private typealias Facts = CompactionSchedule.Facts
    private let second: UInt64 = 1_000_000_000

    private func policy(_ change: (inout CompactionPolicy) -> Void = { _ in }) -> CompactionPolicy {
        var policy = CompactionPolicy()
        policy.minimumLogBytes = 1_000
        change(&policy)
        return policy
    }

    private func facts(_ log: UInt64, live: UInt64 = 0, segments: Int = 1) -> Facts {
        Facts(logBytes: log, liveBytes: live, segments: segments)
    }

    @Test func theLogMayGrowToTheLargerOfAMinimumAndTheLiveBytes() {
        let schedule = CompactionSchedule(policy())
        #expect(schedule.decide(facts(999), now: 0) == .later(time: nil, garbage: 1_000))
        #expect(schedule.decide(facts(1_000), now: 0) == .now)
        #expect(schedule.decide(facts(1_000, live: 5_000), now: 0) == .later(time: nil, garbage: 3_000))
        #expect(schedule.decide(facts(4_999, live: 5_000), now: 0) == .later(time: nil, garbage: 5_000))
        #expect(schedule.decide(facts(5_000, live: 5_000), now: 0) == .now)
        #expect(schedule.decide(facts(0), now: 0) == .later(time: nil, garbage: 1_000))
    }

    @Test func theRatioToLiveBytesCanBeChosen() {
        let generous = CompactionSchedule(policy { $0.logPerLiveByte = 2.5 })
        #expect(generous.decide(facts(2_499, live: 1_000), now: 0) == .later(time: nil, garbage: 2_500))
        let odd = CompactionSchedule(policy { $0.logPerLiveByte = -3 })
        #expect(odd.decide(facts(1_000, live: 9_000), now: 0) == .now)
        let infinite = CompactionSchedule(policy { $0.logPerLiveByte = .infinity })
        #expect(infinite.decide(facts(1 << 40, live: 1), now: 0) == .later(time: nil, garbage: .max))
        let undefined = CompactionSchedule(policy { $0.logPerLiveByte = .nan })
        #expect(undefined.decide(facts(1_000, live: 9_000), now: 0) != .later(time: 1, garbage: 0))
    }

    @Test func aMaximumAppliesWhateverTheLiveBytes() {
        let schedule = CompactionSchedule(policy { $0.maximumLogBytes = 3_000 })
        #expect(schedule.decide(facts(2_999, live: 1 << 40), now: 0) == .later(time: nil, garbage: 3_000))
        #expect(schedule.decide(facts(3_000, live: 1 << 40), now: 0) == .now)
    }

    /// What has expired isn't live. Each count looks at all keys, so it comes only when it may make a difference.
    @Test func expiredBytesAreCountedWhenTheLogMayBeLargeEnough() {
        var schedule = CompactionSchedule(policy())
        var facts = facts(1_999, live: 9_000)
        facts.expiringBytes = 7_000
        #expect(schedule.look(facts, now: 0) == .later(time: nil, garbage: 2_000))
        facts.logBytes = 2_000
        #expect(schedule.look(facts, now: 0) == .count)
        facts.expiredBytes = 5_000
        #expect(schedule.look(facts, now: 0) == .later(time: nil, garbage: 2_250))
        facts.expiredBytes = nil
        #expect(schedule.look(facts, now: 0) == .later(time: nil, garbage: 2_250))
        facts.logBytes = 2_250
        #expect(schedule.look(facts, now: 0) == .count)
        facts.expiredBytes = 6_750
        #expect(schedule.look(facts, now: 0) == .now)
        // After a failure it is counted again, when the pause is over.
        facts.expiredBytes = nil
        schedule.failed(now: 0)
        #expect(schedule.look(facts, now: 1) == .later(time: 30 * second, garbage: .max))
        #expect(schedule.look(facts, now: 30 * second) == .count)
        // Nothing expires.
        facts.expiringBytes = 0
        #expect(schedule.look(facts, now: 30 * second) == .later(time: nil, garbage: 5_625))
    }

    /// What is removed from a snapshot takes space like a log, however short the log of the removals is.
    @Test func removedBytesOfTheSnapshotCountLikeLog() {
        let schedule = CompactionSchedule(policy())
        func decide(_ log: UInt64, _ snapshot: UInt64, live: UInt64) -> CompactionSchedule.Decision {
            schedule.decide(Facts(logBytes: log, snapshotBytes: snapshot, liveBytes: live, segments: 1), now: 0)
        }
        #expect(decide(100, 8_000, live: 8_000) == .later(time: nil, garbage: 4_050))
        #expect(decide(100, 8_000, live: 4_051) == .later(time: nil, garbage: 4_051))
        #expect(decide(100, 8_000, live: 4_050) == .now)
        #expect(decide(100, 8_000, live: 0) == .now)
        #expect(decide(100, 800, live: 0) == .later(time: nil, garbage: 1_000))
        // Without a write there is nothing to do, and with the first one it is due.
        #expect(decide(0, 8_000, live: 0) == .later(time: nil, garbage: 8_001))
        // The log alone counts where it holds more than was removed.
        #expect(decide(3_999, 1_000, live: 4_000) == .later(time: nil, garbage: 4_000))
        let bounded = CompactionSchedule(policy { $0.maximumLogBytes = 500 })
        #expect(
            bounded.decide(Facts(logBytes: 100, snapshotBytes: 8_000, liveBytes: 7_000, segments: 1), now: 0)
                == .later(time: nil, garbage: 1_500))
    }

    @Test func manySegmentsAreEnough() {
        let schedule = CompactionSchedule(policy { $0.maximumSegments = 10 })
        #expect(schedule.decide(facts(1, segments: 9), now: 0) == .later(time: nil, garbage: 1_000))
        #expect(schedule.decide(facts(1, segments: 10), now: 0) == .now)
        // One segment always exists, so one alone is never too many.
        let odd = CompactionSchedule(policy { $0.maximumSegments = 0 })
        #expect(odd.decide(facts(1, segments: 1), now: 0) == .later(time: nil, garbage: 1_000))
        #expect(odd.decide(facts(1, segments: 2), now: 0) == .now)
    }

    @Test func anIntervalCountsFromTheFirstWriteThatIsNotCovered() {
        var schedule = CompactionSchedule(policy { $0.interval = .seconds(60) })
        #expect(schedule.decide(facts(0), now: 0) == .later(time: nil, garbage: 1))
        schedule.noteDirty(now: 5 * second)
        schedule.noteDirty(now: 50 * second)
        #expect(schedule.decide(facts(1), now: 6 * second) == .later(time: 65 * second, garbage: 1_000))
        #expect(schedule.decide(facts(1), now: 65 * second) == .now)
        schedule.succeeded(isDirty: false, now: 66 * second)
        #expect(schedule.decide(facts(0), now: 500 * second) == .later(time: nil, garbage: 1))
        schedule.succeeded(isDirty: true, now: 70 * second)
        #expect(schedule.decide(facts(1), now: 71 * second) == .later(time: 130 * second, garbage: 1_000))
    }

    @Test func failuresAreFollowedByIncreasingPauses() {
        var schedule = CompactionSchedule(policy())
        var now: UInt64 = 7
        var expected: UInt64 = 30 * second
        for _ in 0..<12 {
            schedule.failed(now: now)
            #expect(schedule.decide(facts(2_000), now: now) == .later(time: now + expected, garbage: .max))
            #expect(schedule.decide(facts(2_000), now: now + expected - 1) != .now)
            now += expected
            #expect(schedule.decide(facts(2_000), now: now) == .now)
            expected = min(2 * expected, 3_600 * second)
        }
        #expect(schedule.failures == 12)
        schedule.succeeded(isDirty: true, now: now)
        #expect(schedule.failures == 0 && schedule.decide(facts(2_000), now: now) == .now)
        schedule.failed(now: now)
        #expect(schedule.decide(facts(2_000), now: now) == .later(time: now + 30 * second, garbage: .max))
    }

    @Test func theManualPolicyNeverCompactsAutomatically() {
        var schedule = CompactionSchedule(.manual)
        schedule.noteDirty(now: 0)
        #expect(schedule.decide(facts(.max, segments: .max), now: .max) == .later(time: nil, garbage: .max))
    }

    @Test func durationsOfAnyLengthAreNanoseconds() {
        #expect(Duration.seconds(3).nanoseconds == 3 * second)
        #expect(Duration.nanoseconds(17).nanoseconds == 17)
        #expect(Duration.seconds(-3).nanoseconds == 0)
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.milliseconds(1_500).nanoseconds == 1_500_000_000)
    }
}
