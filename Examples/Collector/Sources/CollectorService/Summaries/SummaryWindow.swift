import Heartwood

/// Which hours are summarised, and until when an hour can be counted again.
struct SummaryWindow: Sendable {
    /// How far the clock of a client may be ahead.
    static let ahead = Duration.seconds(3_600)
    /// With a shorter retention, events could expire before they are counted.
    static let shortestRetention = Duration.seconds(4 * 3_600)

    /// How long summaries are kept, from the end of their hour.
    let lifetime: Duration
    /// How long events exist, from their arrival; nil for ever.
    let retention: Duration?

    /// Nil if there are no summaries.
    init?(lifetime: Duration?, retention: Duration?) {
        guard let lifetime, retention.map({ $0 >= Self.shortestRetention }) ?? true else { return nil }
        (self.lifetime, self.retention) = (lifetime, retention)
    }

    /// Whether an event of this hour that comes now has the hour summarised, again if necessary.
    ///
    /// The other hours are too old, or too far ahead. This bounds the number of jobs, whatever times clients send.
    func contains(_ hour: Hour, at now: Timestamp) -> Bool {
        // An hour before `isComplete` ends, so that there is time for the job.
        let reach = min(lifetime, retention.map { $0 - Self.ahead - .seconds(3_600) } ?? lifetime)
        return hour.start <= now + Self.ahead && now < hour.start + reach
    }

    /// Whether all events of the hour still exist. Later, a count would miss those that have expired.
    func isComplete(_ hour: Hour, at now: Timestamp) -> Bool {
        retention.map { now + Self.ahead < hour.start + $0 } ?? true
    }
}
