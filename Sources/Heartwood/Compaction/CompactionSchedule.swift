/// When the next compaction is due. Pure: no I/O, no clock; times come in as nanoseconds of any clock that never goes back.
struct CompactionSchedule: Sendable {
    /// What it is decided by.
    struct Facts: Sendable, Hashable {
        /// Bytes of log that no snapshot covers.
        var logBytes: UInt64
        /// Bytes of the records that are live.
        var liveBytes: UInt64
        /// Log segments, covered ones that are still there not counted.
        var segments: Int
    }

    /// What to do.
    enum Decision: Sendable, Hashable {
        /// Compact.
        case now
        /// Look again at this time, if at any, and once there are so many bytes of log.
        case later(time: UInt64?, logBytes: UInt64)
    }

    /// After the first failure in a row; each further one doubles it.
    static let firstPause: UInt64 = 30_000_000_000
    static let longestPause: UInt64 = 3_600_000_000_000
    /// A store is compacted when it is closed only where it has a log segment for each so many live bytes.
    static let liveBytesPerSegmentAtClose: UInt64 = 64 << 10
    let policy: CompactionPolicy
    /// Since when the log has something that no snapshot covers.
    private var dirtySince: UInt64?
    /// Failures since the last success.
    private(set) var failures = 0
    private var notBefore: UInt64 = 0

    init(_ policy: CompactionPolicy) { self.policy = policy }

    /// Decides, and remembers since when there has been something to compact.
    mutating func look(_ facts: Facts, now: UInt64) -> Decision {
        if facts.logBytes > 0 { noteDirty(now: now) }
        return decide(facts, now: now)
    }

    func decide(_ facts: Facts, now: UInt64) -> Decision {
        guard policy.isAutomatic else { return .later(time: nil, logBytes: .max) }
        let limit = policy.logLimit(liveBytes: facts.liveBytes)
        // Where there is an interval, something to be compacted is enough to begin waiting.
        guard facts.logBytes > 0 else { return .later(time: nil, logBytes: policy.interval == nil ? limit : 1) }
        let deadline = deadline
        let isDue =
            facts.logBytes >= limit || facts.segments >= max(2, policy.maximumSegments)
            || deadline.map { $0 <= now } ?? false
        if isDue {
            return notBefore <= now ? .now : .later(time: notBefore, logBytes: .max)
        }
        return .later(time: deadline.map { max($0, notBefore) }, logBytes: limit)
    }

    /// Whether to compact before a close. Every opening that writes makes a segment of its own, so short ones would leave
    /// hundreds of small files; no more is written than a few times what they hold.
    ///
    /// - Parameter least: How many segments there have to be.
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

    /// The log has something that no snapshot covers.
    mutating func noteDirty(now: UInt64) { if dirtySince == nil { dirtySince = now } }

    /// Compaction is done; what was written since it began is not covered.
    mutating func succeeded(isDirty: Bool, now: UInt64) {
        failures = 0
        notBefore = 0
        dirtySince = isDirty ? now : nil
    }

    /// Compaction failed: it is left alone for a while, longer each time.
    mutating func failed(now: UInt64) {
        let pause = failures < 8 ? Self.firstPause << UInt64(failures) : Self.longestPause
        failures += 1
        notBefore = now &+ min(pause, Self.longestPause)
    }
}

extension Duration {
    /// Zero where it is negative, and the most there is where it is longer than 584 years.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow2) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        return overflow || overflow2 ? .max : sum
    }
}
