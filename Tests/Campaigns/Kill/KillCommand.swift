internal import ArgumentParser
internal import HeartwoodCampaignSupport

/// kill -9 upon kill -9.
struct KillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kill",
        abstract: "Kills a process that writes, again and again, and looks at what is left.")

    @Option(help: "How many kills.")
    var rounds = 100

    @Option(help: "The seed: of what is written and of the moments, which still depend on the machine.")
    var seed: UInt64 = .random(in: 1...999_999_999)

    @Option(help: "Where the stores go; a directory for temporary files by default.")
    var directory: String?

    func run() async throws {
        say("kill: \(rounds) rounds, seed \(seed)")
        raiseFileLimit()
        let watchdog = Watchdog(seconds: 120)
        let line = ProgressLine()
        let parent = try directory ?? TemporaryDirectory.make("kill")
        var campaign = KillCampaign(seed: seed, directory: parent)
        let start = ContinuousClock.now
        for round in 0..<rounds {
            watchdog.rearm()
            do {
                try await campaign.run(round)
            } catch {
                line.clear()
                say("FAILED in round \(round): \(error)")
                say("  the store is kept in \(campaign.path)")
                say("  again, though the moments will differ: Tools/campaign kill --rounds \(round + 1) --seed \(seed)")
                throw ExitCode(1)
            }
            line.show("\(round + 1) of \(rounds) kills, \(campaign.totals.acknowledged) acknowledgements")
        }
        line.clear()
        watchdog.stop()
        let totals = campaign.totals
        say("  \(totals.kills) kills in \(inSeconds(.now - start)), \(totals.early) of them before the store was open")
        say("  acknowledged: \(totals.synced) synced, \(totals.written) written, \(totals.buffered) buffered")
        say("  lost: 0 synced, 0 written, \(totals.lostBuffered) buffered, always the last ones")
        say("  under way and kept: \(totals.unacknowledged)")
        say("  snapshots: \(totals.snapshots) rounds left a new one, \(totals.unfinishedSnapshots) an unfinished one")
        say("  torn tails: \(totals.tornTails); segments begun: \(totals.segments)")
        TemporaryDirectory.remove(campaign.path)
        if directory == nil { TemporaryDirectory.remove(parent) }
        if rounds >= 100, totals.snapshots == 0 || totals.unfinishedSnapshots == 0 {
            say("FAILED: no kill met a compaction")
            throw ExitCode(1)
        }
        if rounds >= 20, totals.synced == 0 || totals.written == 0 || totals.buffered == 0 {
            say("FAILED: nothing was acknowledged, so nothing was tested")
            throw ExitCode(1)
        }
    }
}
