internal import ArgumentParser
internal import HeartwoodCampaignSupport
internal import HeartwoodConcurrency

/// Shows on a terminal how far a campaign is, judges how it ends, and ends the process if nothing happens for too long.
final class CampaignProgress: Sendable {
    let start = ContinuousClock.now
    private let watchdog: Watchdog
    private let line = ProgressLine()
    private let shown = Locked<ContinuousClock.Instant?>(nil)

    init(watchdogSeconds: UInt32 = 180, reportsTraps: Bool = false) {
        watchdog = Watchdog(seconds: watchdogSeconds, reportsTraps: reportsTraps)
    }

    /// The time since the start, in seconds.
    var time: String { inSeconds(ContinuousClock.now - start) }

    /// Shows a line, at most five times a second.
    ///
    /// - Parameter isAdvancing: Whether this shows an advance, which rearms the watchdog.
    func show(_ text: @autoclosure () -> String, isAdvancing: Bool = true) {
        if isAdvancing { rearm() }
        let isDue = shown.withLock { shown in
            if let shown, ContinuousClock.now - shown < .milliseconds(200) { return false }
            shown = .now
            return true
        }
        if isDue { line.show(text()) }
    }

    /// Shows a share, a rate and the time left.
    func show(_ done: Int, of total: Int, _ unit: String) {
        let seconds = (ContinuousClock.now - start) / .seconds(1) + 0.001
        let rate = Double(done) / seconds
        let left = rate > 0 ? Int(Double(max(0, total - done)) / rate) : 0
        let filled = min(24, done * 24 / max(1, total))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 24 - filled)
        show("[\(bar)] \(done) of \(total) \(unit), \(Int(rate))/s, \(left / 60) min \(left % 60) s left")
    }

    /// Prints what was done, and how long it took.
    func report(_ totals: Tally) {
        var table = TextTable(["in \(time)", "count"])
        for (name, count) in totals.counts.sorted(by: { $0.key < $1.key }) { table.add(TextTable.words(name), [count]) }
        table.print()
    }

    func rearm() { watchdog.rearm() }

    /// Notes the command that repeats what a worker is about to do, for the report of a trap or a hang.
    func begin(_ command: String, of worker: Int) { watchdog.begin(command, of: worker) }

    func end() {
        line.clear()
        watchdog.stop()
    }

    /// Does the work of a campaign. An error is printed, with what else there is to say, and ends the command.
    func judge<Result>(
        _ work: () async throws -> Result, failed details: (any Error) throws -> [String]
    ) async throws -> Result {
        do {
            defer { end() }
            return try await work()
        } catch {
            say("FAILED: \(error)")
            for line in try details(error) { say("  \(line)") }
            throw ExitCode(1)
        }
    }
}
