public import KeyValueStore

/// How a job is enqueued. What is nil here is as the job's type says, then as the default says.
///
/// ```swift
/// try await queue.enqueue(SendEmail(address: "a@example.com", template: "welcome"), .after(.seconds(60)))
/// try await queue.enqueue(Reindex(), JobOptions(priority: .low, uniqueKey: "reindex"))
/// ```
public struct JobOptions: Sendable, Hashable {
    /// Which of the jobs that are due runs first. `.normal` by default.
    public var priority: JobPriority?
    /// When it is due. At once by default.
    public var start: Start?
    /// While a job with this key is waiting or running in the queue, no other job with it is enqueued. Nil by default:
    /// not unique. At most 1,024 bytes of UTF-8.
    public var uniqueKey: String?
    /// How often, and after which pauses, it is tried. ``JobRetry/init(limit:first:longest:)`` has the default.
    public var retry: JobRetry?

    /// When a job is due.
    public enum Start: Sendable, Hashable {
        /// At this time of the store's clock.
        case at(Timestamp)
        /// This long after it is enqueued, by the store's clock.
        case after(Duration)
    }

    /// Creates options.
    public init(
        priority: JobPriority? = nil, start: Start? = nil, uniqueKey: String? = nil, retry: JobRetry? = nil
    ) {
        (self.priority, self.start, self.uniqueKey, self.retry) = (priority, start, uniqueKey, retry)
    }

    /// Due at a time of the store's clock.
    public static func at(_ time: Timestamp) -> JobOptions { JobOptions(start: .at(time)) }

    /// Due this long after it is enqueued.
    public static func after(_ delay: Duration) -> JobOptions { JobOptions(start: .after(delay)) }

    /// Not enqueued while another job with this key is waiting or running.
    public static func unique(_ key: String) -> JobOptions { JobOptions(uniqueKey: key) }

    func over(_ other: JobOptions) -> JobOptions {
        JobOptions(
            priority: priority ?? other.priority, start: start ?? other.start, uniqueKey: uniqueKey ?? other.uniqueKey,
            retry: retry ?? other.retry)
    }

    func due(now: Timestamp) -> Timestamp {
        switch start {
        case nil: now
        case .at(let time): time
        case .after(let delay): now + delay
        }
    }
}

/// Which of the jobs that are due runs first: the one with the lowest number. Of jobs with one priority, the one that
/// was due first.
public struct JobPriority: RawRepresentable, Codable, Sendable, Hashable, Comparable {
    /// 0 runs first, 255 last.
    public var rawValue: UInt8

    /// Creates a priority.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Before normal jobs: 64.
    public static let high = JobPriority(rawValue: 64)
    /// 128.
    public static let normal = JobPriority(rawValue: 128)
    /// After normal jobs: 192.
    public static let low = JobPriority(rawValue: 192)

    /// Whether `left` runs first.
    public static func < (left: JobPriority, right: JobPriority) -> Bool { left.rawValue < right.rawValue }
}

/// How often a job is tried, and how long it waits after a failure: exponentially longer, with jitter.
///
/// After the n-th failure it waits between half and all of `first` × 2^(n-1), at most `longest`. The random part keeps
/// jobs that failed together from running together again.
public struct JobRetry: Codable, Sendable, Hashable {
    /// This many failures make a dead letter. At least 1, and at most 2,147,483,647: a job keeps the nearest one. With
    /// `.max`, a job is tried until it succeeds.
    public var limit: Int
    /// The pause after the first failure. A job keeps whole milliseconds, rounded up, from zero to a century.
    public var first: Duration
    /// The longest pause. Kept as ``first``.
    public var longest: Duration

    static let highestLimit = Int(Int32.max)

    /// Creates a policy: by default 20 failures, with pauses from 10 s to 6 h, over about two days.
    public init(limit: Int = 20, first: Duration = .seconds(10), longest: Duration = .seconds(21_600)) {
        (self.limit, self.first, self.longest) = (limit, first, longest)
    }

    /// One attempt. A failure makes a dead letter.
    public static let never = JobRetry(limit: 1)

    /// The pause after a failure.
    ///
    /// - Parameters:
    ///   - failure: The first, the second, and so on.
    ///   - jitter: 0 to 1.
    func pause(afterFailure failure: Int, jitter: Double) -> Duration {
        let (first, longest) = (Self.kept(first), Self.kept(longest))
        var full = min(first, longest)
        // No product is beyond the range of the type.
        for _ in 0..<min(max(failure - 1, 0), 64) where full < longest { full = min(longest, full * 2) }
        return full / 2 + full / 2 * min(max(jitter, 0), 1)
    }

    /// A pause as a job keeps it.
    static func kept(_ pause: Duration) -> Duration {
        .milliseconds(min((Timestamp(milliseconds: 0) + pause).milliseconds, 3_155_760_000_000))
    }
}
