internal import Logging

/// Warnings when the wall clock is wrong, or was. The store's time follows from it by the rules of `StoreTime`.
nonisolated extension Log {
    /// The wall clock less the monotonic one, in milliseconds. It changes when the wall clock is set.
    var clockDrift: Int64 {
        let clock = configuration.clock
        return Int64(clamping: clock.now().milliseconds) - clock.monotonicMilliseconds
    }

    /// Warns if the wall clock was set by more than a minute.
    ///
    /// - Parameter change: By how many milliseconds.
    func warn(clockSetBy change: Int64) {
        guard change.magnitude > Self.warnedDrift else { return }
        warn(
            change > 0
                ? "the clock was set forward: what expires before the new time has expired"
                : "the clock was set back: the store's time continues, by the monotonic clock",
            change)
    }

    /// Warns if the newest commit of a store that was opened is more than a minute later than the clock.
    func warnIfAhead() {
        guard image.timeAhead > .milliseconds(Self.warnedDrift) else { return }
        warn("the newest commit is later than the clock: the store's time continues from it")
    }

    private func warn(_ what: String, _ change: Int64 = 0) {
        var metadata: Logger.Metadata = ["store": "\(directory)", "ahead": "\(image.timeAhead)"]
        if change != 0 { metadata["by"] = "\(Duration.milliseconds(change))" }
        configuration.logger?.warning(
            "\(what); if the clock was wrong, see 'The clock was wrong' in Runbook.md", metadata: metadata)
    }

    /// Smaller steps are corrections, and not logged.
    private static var warnedDrift: Int64 { 60_000 }
}
