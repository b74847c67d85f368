internal import ArgumentParser
internal import HeartwoodCampaignSupport
internal import HeartwoodTesting

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

    @Option(help: "Judge the disk that a failure has kept in this directory.")
    var replay: String?

    func run() async throws {
        if let replay { return try await replayKept(replay) }
        say("jobs: \(options.images) images, seed \(options.seed)")
        do {
            let (results, time) = try await options.explore(JobExploration.self)
            report(results, time)
        } catch let failure as JobExploration.Failure {
            try report(failure)
            throw ExitCode(1)
        }
    }

    private func report(_ results: [JobExploration.Result], _ time: String) {
        var totals = JobExploration.Totals()
        var images: Set<UInt64> = []
        for result in results {
            totals += result.totals
            images.formUnion(result.images)
        }
        say("  \(totals.runs) histories, \(totals.calls) calls of the disk;")
        say("  \(totals.jobs) jobs, given to workers \(totals.claims) times, \(totals.renewals) leases renewed;")
        say("  \(totals.crashes) crashes, \(totals.crashesAgain) of them after another crash, in \(time)")
        say("  \(images.count) different disk images; no promise broken")
    }

    private func report(_ failure: JobExploration.Failure) throws {
        say("FAILED: \(failure)")
        let path = failure.path.map(\.description).joined(separator: ",")
        if !path.isEmpty { say("  after the crash \(path); the last calls before it:") }
        for call in failure.lastCalls { say("    \(call)") }
        if let left = failure.left {
            let kept = try FailureReport.keep(left.image, left.facts)
            say("  the disk after the crash is kept: Tools/campaign jobs --replay \(kept)")
        }
        say("  the same history, with other timing: Tools/campaign jobs --seed \(failure.seed) --runs 1")
    }

    private func replayKept(_ directory: String) async throws {
        let (image, facts) = try FailureReport.read(JobExploration.JobFacts.self, directory)
        do {
            try await JobExploration().judge(image, facts)
            say("no promise is broken after this crash")
        } catch {
            say("FAILED: \(error)")
            throw ExitCode(1)
        }
    }
}
