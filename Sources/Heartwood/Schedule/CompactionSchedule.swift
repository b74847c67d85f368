/// Decides when the next compaction is due. Pure: no I/O and no clock. Times are nanoseconds of any monotonic clock.
struct CompactionSchedule: Sendable {
    /// The input of the decision.
    struct Facts: Sendable, Hashable {
        /// Bytes of log that no snapshot covers.
        var logBytes: UInt64
        /// Bytes of the newest snapshot's records.
        var snapshotBytes: UInt64 = 0
        /// Bytes of the newest records, also of those that have expired.
        var liveBytes: UInt64
        /// How many of these have an expiry.
        var expiringBytes: UInt64 = 0
        /// How many of these have expired; nil if they haven't been counted, which looks at all keys.
        var expiredBytes: UInt64?
        /// Number of log segments, without covered segments that still exist.
        var segments: Int

        /// What a compaction would free: the log, and what of the snapshot is neither live nor replaced by the log.
        func garbage(live: UInt64) -> UInt64 { logBytes + snapshotBytes - min(snapshotBytes, live) }
    }

    /// The result of the decision.
    enum Decision: Sendable, Hashable {
        case now
        /// Count the expired bytes, and decide again with them.
        case count
        /// Decide again at this time (if not nil), and when there are this many bytes of garbage, if the bytes of
        /// expired records are still the same.
        case later(time: UInt64?, garbage: UInt64)
    }

    /// Pause after the first failure in a row. Each further failure doubles it.
    static let firstPause: UInt64 = 30_000_000_000
    static let longestPause: UInt64 = 3_600_000_000_000
    /// Closing compacts a store only if it has at least one log segment per this many live bytes.
    static let liveBytesPerSegmentAtClose: UInt64 = 64 << 10
    let policy: CompactionPolicy
    /// The time since which the log has contained writes that no snapshot covers.
    private var dirtySince: UInt64?
    /// Number of failures since the last success.
    private(set) var failures = 0
    private var notBefore: UInt64 = 0
    /// The size of the log at which expired bytes are counted next.
    private var nextCount: UInt64

    init(_ policy: CompactionPolicy) {
        self.policy = policy
        nextCount = policy.minimumLogBytes / 8
    }

    /// Decides, and records when the log first contained something to compact.
    mutating func look(_ facts: Facts, now: UInt64) -> Decision {
        if facts.logBytes > 0 { noteDirty(now: now) }
        // Each count looks at all keys, so the log grows by an eighth in between.
        if facts.expiredBytes != nil {
            nextCount = facts.logBytes + max(policy.minimumLogBytes, facts.logBytes, 8) / 8
        }
        return decide(facts, now: now)
    }

    func decide(_ facts: Facts, now: UInt64) -> Decision {
        guard policy.isAutomatic else { return .later(time: nil, garbage: .max) }
        let garbage = facts.garbage(live: facts.liveBytes)
        let distance = distance(facts, expired: facts.expiredBytes ?? 0)
        // It may be due earlier, if enough has expired.
        let least = max(
            self.distance(facts, expired: facts.expiringBytes), nextCount - min(nextCount, facts.logBytes))
        let (next, overflow) = garbage.addingReportingOverflow(max(1, min(distance, least)))
        // With an interval, the first byte of log starts the wait.
        guard facts.logBytes > 0 else {
            return .later(time: nil, garbage: policy.interval != nil ? garbage + 1 : overflow ? .max : next)
        }
        let deadline = deadline
        let isDue =
            distance == 0 || facts.segments >= max(2, policy.maximumSegments) || deadline.map { $0 <= now } ?? false
        if isDue || least == 0 {
            return notBefore > now ? .later(time: notBefore, garbage: .max) : isDue ? .now : .count
        }
        return .later(time: deadline.map { max($0, notBefore) }, garbage: overflow ? .max : next)
    }

    /// How much garbage has to be added before a compaction may be due; 0 if it is due.
    ///
    /// A write adds its own bytes. A removal also makes bytes garbage that were live, which lowers the limit: it is
    /// reached when `garbage + x = ratio * (live - x)`. So the store is looked at there, and again a sixteenth of the
    /// limit later.
    private func distance(_ facts: Facts, expired: UInt64) -> UInt64 {
        let live = facts.liveBytes - min(facts.liveBytes, expired)
        let garbage = facts.garbage(live: live)
        let limit = policy.garbageLimit(liveBytes: live)
        let logLimit = policy.maximumLogBytes ?? .max
        guard garbage < limit, facts.logBytes < logLimit else { return 0 }
        let rest = min(limit - garbage, logLimit - facts.logBytes)
        guard limit > policy.minimumLogBytes, limit < .max else { return rest }
        let removed = UInt64(Double(limit - garbage) / (1 + policy.logPerLiveByte))
        return min(rest, max(removed, limit / 16))
    }

    /// Whether to compact before a close. Every opening that writes makes its own segment, so many short openings would
    /// leave hundreds of small files. The compaction writes at most a few times the bytes of those files.
    ///
    /// - Parameter least: The smallest number of segments that makes it due.
    func isDueAtClose(_ facts: Facts, from least: Int) -> Bool {
        guard policy.isAutomatic, failures == 0, facts.logBytes > 0 else { return false }
        let few = max(least, Int(clamping: facts.liveBytes / Self.liveBytesPerSegmentAtClose))
        return facts.segments >= min(few, max(2, policy.maximumSegments))
    }

    private var deadline: UInt64? {
        guard let interval = policy.interval, let dirtySince else { return nil }
        let (sum, overflow) = dirtySince.addingReportingOverflow(interval.nanoseconds)
        return overflow ? .max : sum
    }

    /// Records that the log contains writes that no snapshot covers.
    mutating func noteDirty(now: UInt64) { if dirtySince == nil { dirtySince = now } }

    /// Records a success. Writes that were made since the compaction started are not covered.
    mutating func succeeded(isDirty: Bool, now: UInt64) {
        failures = 0
        notBefore = 0
        nextCount = policy.minimumLogBytes / 8
        dirtySince = isDirty ? now : nil
    }

    /// Records a failure. The next attempt waits, longer after each failure.
    mutating func failed(now: UInt64) {
        let pause = failures < 8 ? Self.firstPause << UInt64(failures) : Self.longestPause
        failures += 1
        nextCount = 0
        notBefore = now &+ min(pause, Self.longestPause)
    }
}
