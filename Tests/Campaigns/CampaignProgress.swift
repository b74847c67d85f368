/// Shows how far a campaign is, and ends the process if there is no progress for too long.
struct CampaignProgress {
    let start = ContinuousClock.now
    private let watchdog: Watchdog
    private let line = ProgressLine()

    init(watchdogSeconds: UInt32 = 180) { watchdog = Watchdog(seconds: watchdogSeconds) }

    /// The time since the start, in seconds.
    var time: String { inSeconds(ContinuousClock.now - start) }

    /// - Parameter isAdvancing: Whether this shows an advance, which rearms the watchdog.
    func show(_ text: String, isAdvancing: Bool = true) {
        if isAdvancing { rearm() }
        line.show(text)
    }

    func rearm() { watchdog.rearm() }

    func end() {
        line.clear()
        watchdog.stop()
    }
}
