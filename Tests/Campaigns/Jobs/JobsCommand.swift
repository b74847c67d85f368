internal import ArgumentParser
internal import HeartwoodCampaignSupport

/// Crashes of queues of jobs on a simulated disk.
struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Crashes queues of jobs on a simulated disk, and lets workers finish what is left.",
        discussion: """
            Tasks enqueue jobs, also together with data, and sets of workers claim, renew, finish, fail and give back; \
            some stand still beyond their lease. The states that a crash may leave follow from the trace of the disk. \
            In each, no job may be missing that was acknowledged, none may come back that was finished, and records \
            and index must agree. Then workers run until nothing is left, and some of these stores crash again. By all \
            that was written, no job may have two workers at once, and its fencing numbers must rise.

            Exit codes: 0 all promises were kept; 1 one was broken, and the command that judges the disk again is \
            printed.
            """)

    @OptionGroup
    var options: HistoryOptions

    func run() async throws {
        try await options.run(JobExploration.self, named: "jobs") { totals, time in
            say("  \(totals.runs) histories, \(totals.calls) calls of the disk;")
            say("  \(totals.jobs) jobs, given to workers \(totals.claims) times, \(totals.renewals) leases renewed;")
            say("  \(totals.crashes) crashes, \(totals.crashesAgain) of them after another crash, in \(time)")
        }
    }
}
