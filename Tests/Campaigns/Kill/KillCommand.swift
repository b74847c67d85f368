internal import ArgumentParser
internal import HeartwoodCampaignSupport

/// Repeated kill -9.
struct KillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kill",
        abstract: "Kills a writing process with kill -9, repeatedly, and checks the store after each kill.")

    @Option(help: "How many kills.")
    var rounds = 100

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let (seed, directory) = (options.seed, options.directory)
        say("kill: \(rounds) rounds, seed \(seed)")
        raiseFileLimit()
        let progress = CampaignProgress(watchdogSeconds: 120)
        let parent = try directory ?? TemporaryDirectory.make("kill")
        var campaign = KillCampaign(seed: seed, directory: parent)
        for round in 0..<rounds {
            progress.rearm()
            do {
                try await campaign.run(round)
            } catch {
                progress.end()
                say("FAILED in round \(round): \(error)")
                say("  the store is kept in \(campaign.path)")
                say("  again, with other timing: Tools/campaign kill --rounds \(round + 1) --seed \(seed)")
                throw ExitCode(1)
            }
            progress.show("\(round + 1) of \(rounds) kills, \(campaign.totals.acknowledged) acknowledgements")
        }
        progress.end()
        let totals = campaign.totals
        say("  \(totals.kills) kills in \(progress.time), \(totals.early) of them while the store was being opened")
        say("  acknowledged: \(totals.synced) synced, \(totals.written) written, \(totals.buffered) buffered")
        say("  lost: 0 synced, 0 written, \(totals.lostBuffered) buffered, always the most recent")
        say("  not acknowledged and kept: \(totals.unacknowledged)")
        say("  snapshots: \(totals.snapshots) rounds left a new one, \(totals.unfinishedSnapshots) an unfinished one")
        say("  by a relative path: \(totals.relative) rounds; directories renamed: \(totals.moved)")
        say("  torn tails: \(totals.tornTails); new segments: \(totals.segments)")
        campaign.places.remove()
        if directory == nil { TemporaryDirectory.remove(parent) }
        if rounds >= 100, totals.snapshots == 0 || totals.unfinishedSnapshots == 0 {
            say("FAILED: no kill interrupted a compaction")
            throw ExitCode(1)
        }
        if rounds >= 40, totals.relative == 0 || totals.moved == 0 {
            say("FAILED: no working directory was changed, or no directory renamed")
            throw ExitCode(1)
        }
        if rounds >= 20, totals.synced == 0 || totals.written == 0 || totals.buffered == 0 {
            say("FAILED: nothing was acknowledged, so nothing was tested")
            throw ExitCode(1)
        }
    }
}
