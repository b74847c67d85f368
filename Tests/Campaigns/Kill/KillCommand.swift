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
        let seed = options.seed
        say("kill: \(rounds) rounds, seed \(seed)")
        raiseFileLimit()
        let progress = CampaignProgress(watchdogSeconds: 120)
        let totals = try await options.inDirectory("kill") { parent in
            var (campaign, round) = (KillCampaign(seed: seed, directory: parent), 0)
            return try await progress.judge {
                while round < rounds {
                    progress.rearm()
                    try await campaign.run(round)
                    round += 1
                    progress.show("\(round) of \(rounds) kills, \(campaign.acknowledged) acknowledgements")
                }
                return campaign.totals
            } failed: { _ in
                [
                    "in round \(round); the store is kept in \(campaign.path)",
                    "again, with other timing: Tools/campaign kill --rounds \(round + 1) --seed \(seed)",
                ]
            }
        }
        progress.report(totals)
        for (least, names, missing) in [
            (100, ["snapshots", "unfinishedSnapshots"], "no kill interrupted a compaction"),
            (40, ["relative", "moved"], "no working directory was changed, or no directory renamed"),
            (20, ["synced", "written", "buffered"], "nothing was acknowledged, so nothing was tested"),
        ] where rounds >= least && names.contains(where: { totals[$0] == 0 }) {
            say("FAILED: \(missing)")
            throw ExitCode(1)
        }
    }
}
